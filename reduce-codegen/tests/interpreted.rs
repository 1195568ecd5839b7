//! Every program after every pass, executed on provenance without a GPU: the tree of positions that its
//! kernels make is the association read from the program, so every element is combined exactly once.
//!
//! By default every n for blocks of up to 256 threads and a sample for larger ones; with `REDUCEGEN_FULL=1`
//! every n for all.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use rayon::prelude::*;
use reduce_codegen::expand;
use reduce_dsl::Scalar;
use reduce_dsl::expanded::Expanded;
use reduce_dsl::interpreter::{Fault, Provenance, run};
use reduce_dsl::operators::operator;
use reduce_dsl::program::Program;
use support::{boundaries, programs};

fn full() -> bool {
    std::env::var_os("REDUCEGEN_FULL").is_some()
}

/// Does the program treat aligned and misaligned data differently?
fn alignments(program: &Program) -> &'static [bool] {
    if program.kernels[0].fold().width > 1 { &[true, false] } else { &[true] }
}

fn check_provenance(program: &Program, expanded: &Expanded, n: u64) {
    let mut domain = Provenance::new(&program.operation);
    let leaves: Vec<_> = (0..n).map(|position| domain.leaf(position)).collect();
    let wanted = program.association().reduce(leaves, |a, b| domain.pair(a, b));
    let wanted = wanted.or_else(|| program.operation.identity.as_ref().map(|_| domain.identity()));
    for &aligned in alignments(program) {
        let inputs = Provenance::inputs(&program.operation, n, aligned);
        let found = match run(program, expanded, &mut domain, &inputs, n) {
            Err(Fault::Undefined { .. }) if wanted.is_none() => None,
            other => domain.tree(&other.unwrap_or_else(|fault| panic_with(program, n, &fault))),
        };
        let text = |origin: Option<_>| origin.map_or("nothing".to_owned(), |origin| domain.text(origin));
        assert_eq!(found, wanted, "n = {n}\n{program}\n{}\n{}", text(found), text(wanted));
    }
}

fn panic_with(program: &Program, n: u64, fault: &Fault) -> ! {
    panic!("{fault}, n = {n}\n{program}")
}

/// Every program of the lists, for every n up to 1025 and around its boundaries.
fn provenance_of(name: &str, ty: Scalar, one_of: u64) {
    programs(operator(name).unwrap(), ty).par_iter().for_each(|program| {
        let expanded = expand(program).unwrap();
        let one_of = if program.block <= 256 { one_of } else { 7 * one_of };
        let small = (0..=1025).filter(|n| full() || n % one_of == 0);
        small.chain(boundaries(program)).for_each(|n| check_provenance(program, &expanded, n));
    });
}

#[test]
fn provenance_with_identity() {
    provenance_of("sum", Scalar::F32, 1);
}

#[test]
fn provenance_without_identity() {
    provenance_of("argmax", Scalar::F32, 1);
}

/// Other types have other vectors: a unit of 16 is two vectors of `f16`, or eight of `f64`.
#[test]
fn provenance_of_other_vectors() {
    provenance_of("argmax", Scalar::F16, 11);
    provenance_of("sum", Scalar::F64, 11);
}

#[test]
fn provenance_of_two_inputs() {
    provenance_of("dot", Scalar::F32, 5);
}
