//! Rows of a matrix, by teams of a thread, warp, block and grid: each has the bits of the same row alone on the host.

use super::device::gpu;
use reduce_dsl::parse::spec;
use reduce_ir::{Axes, Domain, Spec};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Reducer, View};

const SPECS: [&str; 8] = [
    "op: sum, ty: f32",
    "op: sum, ty: f64",
    "op: argmax, ty: f32",
    "op: mean, ty: f32, nan: ignore",
    "ty: f32, op: max, filter: |x| x > 0.0",
    "op: logsumexp, ty: f32",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32 }, map: |x| At { v: x }, \
     op: |a, b| if b.v >= a.v { b } else { a }",
    "op: sum, ty: f32, passes: [shuffle, vectorize(4), coarsen(2)]",
];

/// Numbers of rows and their lengths: around the lengths at which teams change, with few and many rows.
const SHAPES: [[u64; 2]; 14] = [
    [1, 1],
    [1000, 1],
    [129, 5],
    [100_003, 16],
    [4097, 17],
    [333, 31],
    [70, 512],
    [70, 513],
    [9, 1024],
    [33, 4099],
    [5, 65_536],
    [3, 1_000_003],
    [1, 2_000_000],
    [0, 7],
];

fn elements(wide: bool, n: u64) -> Lanes {
    let number = |at: u64| ((at.wrapping_mul(2_654_435_761) % 100_003) as f64 - 50_000.0) * 1.37e-3;
    match wide {
        true => Lanes::from((0..n).map(number).collect::<Vec<f64>>()),
        false => Lanes::from((0..n).map(|at| number(at) as f32).collect::<Vec<f32>>()),
    }
}

#[test]
fn rows_have_the_bits_that_they_have_alone() {
    let Some(device) = gpu("rows_have_the_bits_that_they_have_alone") else { return };
    for text in SPECS {
        let spec = spec(text).unwrap();
        let of_rows = Spec { domain: Domain::ROWS, axes: Some(Axes::rows()), ..spec.clone() };
        let rows = Reducer::new(&of_rows, &device).unwrap();
        let alone = Reducer::new(&spec, &Device::host()).unwrap();
        for [groups, length] in SHAPES {
            let all = elements(text.contains("f64"), groups * length);
            let matrix = View::new(all.borrow(), [groups as usize, length as usize]);
            let found = rows.reduce_groups(&[matrix], &[]).unwrap();
            assert_eq!(found.len() as u64, groups);
            // Of many rows, only some are compared.
            let step = (groups as usize / 300).max(1);
            for row in (0..groups as usize).step_by(step) {
                let begin = row * length as usize;
                let one: LanesRef<'_> = all.borrow().slice(begin..begin + length as usize);
                let wanted = alone.reduce(&[one]).ok().map(|outcome| outcome.values);
                assert_eq!(found.get(row), wanted, "{text}: row {row} of {groups} of {length}");
            }
        }
    }
}
