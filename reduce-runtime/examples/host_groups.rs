//! Times sums and maxima of the rows and columns of matrices on the host: `ROWS COLUMNS AXIS TYPE OPERATOR MILLISECONDS`, the minimum
//! of many calls, each of which allocates its result.
//!
//! `cargo run --release -p reduce-runtime --no-default-features --example host_groups [WORD]…` prints the lines with all words.

use reduce_dsl::parse::spec;
use reduce_ir::axes::Kept;
use reduce_ir::{Axes, Spec, f16};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Reducer, View};
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    for shape in [[1000, 1000], [1_000_000, 10], [10, 1_000_000]] {
        for axis in [0, 1] {
            for ty in ["f32", "f64", "i32", "f16"] {
                for op in ["sum", "max"] {
                    let name = format!("{} {} {axis} {ty} {op}", shape[0], shape[1]);
                    if words.iter().all(|word| name.contains(word)) {
                        println!("{name} {:.3}", time(shape, axis, ty, op)?.as_secs_f64() * 1e3);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns the least time of a reduction along an axis.
fn time(shape: [usize; 2], axis: usize, ty: &str, op: &str) -> Result<Duration, Box<dyn Error>> {
    let spec = spec(&format!("op: {op}, ty: {ty}"))?;
    let axes = Axes { result: vec![Kept::Axis(1 - axis)], ..Axes::rows() };
    let reducer = Reducer::new(&Spec { domain: axes.domain(), axes: Some(axes), ..spec }, &Device::host())?;
    let data = elements(ty, shape[0] * shape[1]);
    let view: View<LanesRef<'_>> = View::of(data.borrow(), shape);
    let (end, mut best, mut count) = (Instant::now() + Duration::from_secs(1), Duration::MAX, 0);
    while count < 5 || Instant::now() < end && count < 1000 {
        let start = Instant::now();
        let groups = reducer.reduce_groups(std::slice::from_ref(&view), &[])?;
        best = best.min(start.elapsed());
        count += 1;
        std::hint::black_box(groups);
    }
    Ok(best)
}

fn elements(ty: &str, len: usize) -> Lanes {
    let number = |at: usize| (at as u64 * 2_654_435_761 % 1009) as f32 - 500.0;
    match ty {
        "f32" => (0..len).map(|at| number(at) * 1.37e-3).collect::<Vec<f32>>().into(),
        "f64" => (0..len).map(|at| f64::from(number(at)) * 1.37e-3).collect::<Vec<_>>().into(),
        "f16" => (0..len).map(|at| f16::from_f32(number(at) * 1.37e-3)).collect::<Vec<_>>().into(),
        _ => (0..len).map(|at| number(at) as i32).collect::<Vec<_>>().into(),
    }
}
