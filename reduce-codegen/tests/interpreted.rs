//! Every program after every pass, executed without a GPU: its association is the one read from the
//! program, and its values are those of that association.
//!
//! By default a sample that covers every operator, type, program and size; with `REDUCEGEN_FULL=1` the
//! whole product.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use reduce_codegen::expand;
use reduce_dsl::eval::Evaluator;
use reduce_dsl::interpreter::{Fault, Input, Provenance, Values, run};
use reduce_dsl::operators::{OPERATORS, operator};
use reduce_dsl::program::Program;
use reduce_dsl::{Scalar, Value};
use support::{boundaries, elements, programs};

fn full() -> bool {
    std::env::var_os("REDUCEGEN_FULL").is_some()
}

/// Does the program treat aligned and misaligned data differently?
fn alignments(program: &Program) -> &'static [bool] {
    if program.kernels[0].fold().width > 1 { &[true, false] } else { &[true] }
}

fn check_provenance(program: &Program, n: u64) {
    let expanded = expand(program).unwrap();
    let mut domain = Provenance::new(&program.operation);
    let leaves: Vec<_> = (0..n).map(|position| domain.leaf(position)).collect();
    let wanted = program.association().reduce(leaves, |a, b| domain.pair(a, b));
    let wanted = wanted.or_else(|| program.operation.identity.as_ref().map(|_| domain.identity()));
    for &aligned in alignments(program) {
        let inputs = Provenance::inputs(&program.operation, n, aligned);
        let found = match run(program, &expanded, &mut domain, &inputs, n) {
            Err(Fault::Undefined { .. }) if wanted.is_none() => None,
            other => domain.tree(&other.unwrap_or_else(|fault| panic_with(program, n, &fault))),
        };
        let text = |origin: Option<_>| origin.map_or("nothing".to_owned(), |origin| domain.text(origin));
        assert_eq!(found, wanted, "n = {n}\n{program}\n{}\n{}", text(found), text(wanted));
    }
}

fn panic_with(program: &Program, n: u64, fault: &Fault) -> ! {
    std::panic::panic_any(format!("{fault}, n = {n}\n{program}"))
}

/// Every program of the lists, for every n up to 1025 and around its boundaries.
fn provenance_of(name: &str) {
    for program in programs(operator(name).unwrap(), Scalar::F32) {
        let small = (0..=1025).filter(|n| full() || program.block <= 256 || n % 7 == 0);
        small.chain(boundaries(&program)).for_each(|n| check_provenance(&program, n));
    }
}

#[test]
fn provenance_with_identity() {
    provenance_of("sum");
}

#[test]
fn provenance_without_identity() {
    provenance_of("argmax");
}

#[test]
fn provenance_of_two_inputs() {
    provenance_of("dot");
}

/// The result by the association read from the program, one combination at a time.
fn reference(program: &Program, inputs: &[Input], n: u64) -> Option<Vec<Value>> {
    let operation = &program.operation;
    let (mut map, mut combine) = (Evaluator::new(&operation.map), Evaluator::new(&operation.combine));
    let element = |i: u64| {
        let mut args: Vec<_> = inputs.iter().map(|input| input.elements.get(i as usize)).collect();
        args.extend(operation.indexed.then(|| Value::of(i)));
        map.run_once(&args).unwrap()
    };
    let mapped: Vec<Vec<Value>> = (0..n).map(element).collect();
    let reduced = program.association().reduce(mapped, |a, b| combine.run_once(&[a, b].concat()).unwrap());
    let acc = reduced.or_else(|| operation.identity.clone())?;
    Some(Evaluator::new(&operation.finish).run_once(&acc).unwrap())
}

fn check_values(program: &Program, n: u64, special: u64) {
    let expanded = expand(program).unwrap();
    let elements =
        |(k, input): (usize, &reduce_dsl::func::Param)| elements(input.ty, n, special, n + k as u64);
    let inputs: Vec<_> = program.operation.inputs.iter().enumerate().map(elements).collect();
    for &aligned in alignments(program) {
        let inputs: Vec<_> =
            inputs.iter().map(|elements| Input { elements: elements.clone(), aligned }).collect();
        let mut domain = Values::new(&program.operation);
        let wanted = reference(program, &inputs, n);
        let found = match run(program, &expanded, &mut domain, &inputs, n) {
            Err(Fault::Undefined { .. }) if wanted.is_none() => None,
            Err(fault) => panic_with(program, n, &fault),
            Ok(accs) => Some(domain.finish(&accs).unwrap()),
        };
        assert_eq!(found, wanted, "n = {n}\n{program}");
    }
}

#[test]
fn values_of_every_operator_and_type() {
    let mut turn = 0;
    for row in &OPERATORS {
        for ty in Scalar::INPUTS.into_iter().filter(|&ty| row.takes(ty)) {
            for program in programs(row, ty) {
                turn += 1;
                let sampled = |n: &u64| full() || (n + turn).is_multiple_of(97);
                let sizes =
                    (0..=1025).filter(sampled).chain(boundaries(&program).into_iter().filter(sampled));
                sizes.for_each(|n| check_values(&program, n, if n % 2 == 0 { 0 } else { 20 }));
            }
        }
    }
}
