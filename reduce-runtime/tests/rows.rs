//! Each row of a matrix has the bits of a reduction of that row alone.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[cfg(feature = "cuda")]
#[path = "../../tests/support/rotation.rs"]
mod rotation;
#[cfg(feature = "cuda")]
#[path = "../../tests/support/skip.rs"]
mod skip;

#[cfg(feature = "cuda")]
use rayon::prelude::*;
use reduce_dsl::parse::spec;
use reduce_ir::{Axes, Domain, Spec};
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Error, Reducer, View, ViewError};

const SPECS: [&str; 6] = [
    "op: sum, ty: f32",
    "op: argmax, ty: f32",
    "op: mean, ty: f32, nan: ignore",
    "ty: f32, op: max, filter: |x| x > 0.0",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32 }, map: |x| At { v: x }, op: |a, b| if b.v >= a.v { b } else { a }",
    "op: sum, ty: f32, passes: [shuffle, vectorize(4), coarsen(2)]",
];

fn elements(n: u64) -> Vec<f32> {
    (0..n).map(|at| ((at * 2_654_435_761 % 1009) as f32 - 500.0) * 1.37e-3).collect()
}

/// Returns the specification of the rows of a matrix.
fn rows(text: &str) -> Spec {
    let spec = spec(text).unwrap();
    Spec { domain: Domain::ROWS, axes: Some(Axes::rows()), ..spec }
}

#[test]
fn rows_have_the_bits_that_they_have_alone() {
    for text in SPECS {
        let alone = Reducer::new(&spec(text).unwrap(), &Device::host()).unwrap();
        let rows = Reducer::new(&rows(text), &Device::host()).unwrap();
        for (groups, length) in [(3, 1), (5, 7), (4, 16), (3, 17), (2, 513), (2, 5000)] {
            let all = elements((groups * length) as u64);
            let found =
                rows.reduce_groups(&[View::new(LanesRef::from(&all[..]), [groups, length])], &[]).unwrap();
            for (group, row) in all.chunks(length).enumerate() {
                let wanted = alone.reduce(&[row]).ok().map(|outcome| outcome.values);
                assert_eq!(found.get(group), wanted, "{text}: row {group} of {groups}, {length} elements");
            }
        }
    }
}

#[test]
fn what_has_no_axes_has_one_result() {
    let whole = Reducer::new(&spec("op: sum, ty: f32").unwrap(), &Device::host()).unwrap();
    let all = elements(10);
    let view = || View::new(LanesRef::from(&all[..]), [2, 5]);
    assert_eq!(whole.reduce_groups(&[view()], &[]), Err(Error::NoAxes));
    let rows = Reducer::new(&rows("op: sum, ty: f32"), &Device::host()).unwrap();
    assert_eq!(rows.reduce(&[&all[..]]).unwrap_err(), Error::SeveralGroups);
    let outside = View { offset: 1, ..view() };
    assert!(matches!(
        rows.reduce_groups(&[outside], &[]),
        Err(Error::View(ViewError::Outside { needed: 11, data: 10, .. }))
    ));
    let shape = View::new(view().data, [10]);
    assert!(matches!(rows.reduce_groups(&[shape], &[]), Err(Error::Shape(_))));
}

/// The real compiler accepts the CUDA of programs over rows; a rotating third of them.
#[cfg(feature = "cuda")]
#[test]
fn programs_of_rows_compile() {
    let found =
        skip::needed("programs_of_rows_compile", "REDUCEGEN_REQUIRE_NVRTC", reduce_runtime::Nvrtc::get());
    let Some(nvrtc) = found else { return };
    let sm_90 = reduce_runtime::Architecture::from_number(90);
    let sampled: Vec<_> = rotation::sample(SPECS, 3).collect();
    sampled.par_iter().for_each(|text| {
        let programs = reduce_codegen::Programs::of(&rows(text), sm_90.tuning()).unwrap();
        for program in programs.variants() {
            let compiled = nvrtc.compile_program(program, reduce_runtime::Target::Cubin(sm_90));
            assert!(compiled.is_ok(), "{text}: {}", compiled.unwrap_err());
        }
    });
}
