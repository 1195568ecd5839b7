//! Each row of a matrix has the bits of a reduction of that row alone.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[cfg(feature = "cuda")]
#[path = "../../tests/support/skip.rs"]
mod skip;

use reduce_dsl::parse::spec;
use reduce_ir::{Domain, Spec};
use reduce_runtime::{Device, Error, Reducer};

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

#[test]
fn rows_have_the_bits_that_they_have_alone() {
    for text in SPECS {
        let spec = spec(text).unwrap();
        let rows = Spec { domain: Domain::ROWS, ..spec.clone() };
        let rows = Reducer::new(&rows, &Device::host()).unwrap();
        let alone = Reducer::new(&spec, &Device::host()).unwrap();
        for (groups, length) in [(3, 1), (5, 7), (4, 16), (3, 17), (2, 513), (2, 5000), (0, 3)] {
            let all = elements(groups * length);
            let found = rows.reduce_rows(&[&all[..]], length, &[]).unwrap();
            let wanted: Vec<_> = all
                .chunks(length as usize)
                .map(|row| alone.reduce(&[row]).ok().map(|outcome| outcome.values))
                .collect();
            assert_eq!(found, wanted, "{text}: {groups} rows of {length}");
        }
    }
}

#[test]
fn elements_that_are_no_whole_rows_are_refused() {
    let sum = spec("op: sum, ty: f32").unwrap();
    let rows = spec("op: sum, ty: f32, axes: i j -> i").unwrap();
    let rows = Reducer::new(&rows, &Device::host()).unwrap();
    let all = elements(10);
    for length in [0, 3, 11] {
        assert_eq!(rows.reduce_rows(&[&all[..]], length, &[]), Err(Error::Rows { elements: 10, length }));
    }
    let whole = Reducer::new(&sum, &Device::host()).unwrap();
    assert_eq!(whole.reduce_rows(&[&all[..]], 5, &[]), Err(Error::Rows { elements: 10, length: 5 }));
}

/// The real compiler accepts the CUDA of every program over rows.
#[cfg(feature = "cuda")]
#[test]
fn programs_of_rows_compile() {
    let found =
        skip::needed("programs_of_rows_compile", "REDUCEGEN_REQUIRE_NVRTC", reduce_runtime::Nvrtc::get());
    let Some(nvrtc) = found else { return };
    let sm_90 = reduce_runtime::Architecture::from_number(90);
    for text in SPECS {
        let programs = reduce_codegen::Programs::of(
            &Spec { domain: Domain::ROWS, ..spec(text).unwrap() },
            sm_90.tuning(),
        )
        .unwrap();
        for program in programs.variants() {
            let compiled = nvrtc.compile_program(program, reduce_runtime::Target::Cubin(sm_90));
            assert!(compiled.is_ok(), "{text}: {}", compiled.unwrap_err());
        }
    }
}
