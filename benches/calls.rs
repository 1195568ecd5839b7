//! The host's time of a call, from one element up to the size of the caches, compared with a plain loop.
//!
//! ```sh
//! cargo bench --no-default-features --features text --bench calls
//! ```
//!
//! Each column is a number of elements, and each cell the minimum time of many calls, in microseconds. The last line is the time to
//! merge partials, which does not depend on their number of elements.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be taken fails by panicking")]

use reducegen::{Span, Strided, reduction};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Numbers of elements.
const SIZES: [usize; 6] = [1, 100, 1000, 10_000, 100_000, 1_000_000];

fn main() {
    let x: Vec<f32> = (0..SIZES[5]).map(|i| (i as f32).sin()).collect();
    println!("{:12}{}", "elements", SIZES.map(|n| format!("{n:>10}")).concat());
    line("iter", |n| x[..n].iter().sum::<f32>());
    let sum = reduction! { op: sum, ty: f32, passes: auto };
    line("sum", |n| sum.reduce(&x[..n]).unwrap());
    let max = reduction! { op: max, ty: f32, passes: auto };
    line("max", |n| max.reduce(&x[..n]).unwrap());
    let scaled = reduction! { params: { k: f32 }, map: |x| k * x, op: sum, ty: f32, passes: auto };
    line("sum of k x", |n| scaled.with(2.0).reduce(&x[..n]).unwrap());
    let argmax = reduction! { op: argmax, ty: f32, passes: auto };
    line("argmax", |n| argmax.reduce(&x[..n]).unwrap());
    let var = reduction! { op: var, ty: f32, passes: auto };
    line("var", |n| var.reduce(&x[..n]).unwrap());
    let logsumexp = reduction! { op: logsumexp, ty: f32, passes: auto };
    line("logsumexp", |n| logsumexp.reduce(&x[..n]).unwrap());
    merge();
}

/// Merges 2^18 partials of two parts. As with `auto`, one block combines them.
fn merge() {
    const CHUNK: usize = 128;
    const PARTIALS: usize = 1 << 18;
    let sum = reduction! { op: sum, ty: f32, layout: strided, block: 128, passes: [shuffle, one_block] };
    let half = Strided { data: &[0.1], offset: 0, step: 0, len: PARTIALS / 2 * CHUNK };
    let total = 2 * half.len as u64;
    let parts = [0, total / 2].map(|first| sum.partials(half, Span { first, total }).unwrap());
    let time = least(|| {
        black_box(sum.merge(black_box(&parts)).unwrap());
    });
    println!("merge of {PARTIALS} partials {:.2}", time.as_secs_f64() * 1e6);
}

fn line<T>(name: &str, mut call: impl FnMut(usize) -> T) {
    let times = SIZES.map(|n| least(|| drop(black_box(call(black_box(n))))));
    println!("{name:12}{}", times.map(|time| format!("{:>10.2}", time.as_secs_f64() * 1e6)).concat());
}

/// Returns the minimum time of a call, measured for a tenth of a second.
fn least(mut call: impl FnMut()) -> Duration {
    let begin = Instant::now();
    let mut least = Duration::MAX;
    while begin.elapsed() < Duration::from_millis(100) {
        let start = Instant::now();
        call();
        least = least.min(start.elapsed());
    }
    least
}
