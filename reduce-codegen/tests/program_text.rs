//! Programs as text: whatever is printed reads back, and errors say where and what was expected.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use rayon::prelude::*;
use reduce_codegen::{Programs, Tuning};
use reduce_dsl::operators::OPERATORS;
use reduce_ir::program::Program;
use reduce_ir::spec::Passes;
use reduce_ir::{Scalar, Spec};
use support::{operations, programs, programs_of, spec};

fn assert_reads_back(program: &Program) {
    let text = format!("{program:#}");
    let read = Program::parse(&program.operation, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(&read, program, "{text}");
    // The lines of the operation can be left out.
    let kernels = text.find("  passes ").unwrap();
    let up_to = text.find("  up to ").unwrap_or(kernels);
    assert_eq!(&Program::parse(&program.operation, &text[up_to..]).unwrap(), program, "{text}");
}

#[test]
fn programs_of_every_operator_and_list_read_back() {
    let rows: Vec<_> = OPERATORS.iter().collect();
    let count: usize = rows
        .par_iter()
        .map(|operator| {
            let ty = Scalar::ALL.into_iter().find(|ty| operator.takes(*ty)).unwrap();
            let programs = programs(operator, ty);
            programs.iter().for_each(assert_reads_back);
            programs.len()
        })
        .sum();
    assert!(count > 1000, "{count} programs");
}

#[test]
fn programs_of_ordered_and_folded_operations_read_back() {
    let subjects = operations::ordered().into_iter().chain(operations::folded());
    subjects.flat_map(|subject| programs_of(&subject.operation)).for_each(|it| assert_reads_back(&it));
}

#[test]
fn programs_of_auto_read_back() {
    for operator in OPERATORS {
        let ty = Scalar::ALL.into_iter().rev().find(|ty| operator.takes(*ty)).unwrap();
        let spec = Spec { passes: Passes::Auto, ..spec(&operator, ty, 256, "") };
        for tuning in Tuning::ALL {
            let programs = Programs::of(&spec, tuning).unwrap();
            programs.cases().iter().for_each(assert_reads_back);
        }
    }
}
