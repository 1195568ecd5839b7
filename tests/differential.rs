//! Every operator on every type, after every pass: interpreter and host backend give the same bits, and the correct ones.
//!
//! Correct means equal to a plain loop over the elements, on data for which the operator is exact in every order. By
//! default a sample covers half of the operators on their types each day, and every program and size of these;
//! `REDUCEGEN_FULL=1` runs the whole product. `accuracy.rs`
//! measures the errors of other float sums.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;
#[path = "differential/data.rs"]
mod data;
#[path = "differential/offsets.rs"]
mod offsets;
#[path = "differential/plain.rs"]
mod plain;
#[path = "support/rotation.rs"]
mod rotation;
#[path = "support/splitmix.rs"]
mod splitmix;

use cases::LISTS;
use data::Kind;
use plain::Rules;
use rayon::prelude::*;
use reduce_codegen::lower;
use reduce_dsl::operators::OPERATORS;
use reduce_interpreter::{Input, Kind as Wrong, Options, Values, run};
use reduce_ir::program::{Association, Program};
use reduce_ir::statements::Lowered;
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;
use reduce_runtime::{Strided, host};
use rotation::full;

/// A program in all the forms that run.
struct Case {
    program: Program,
    lowered: Lowered,
    association: Association,
}

impl Case {
    fn new(program: Program) -> Case {
        let (lowered, association) = (lower(&program).unwrap(), program.association());
        Case { program, lowered, association }
    }
}

/// Returns the interpreter's result for aligned or misaligned data; `None` without elements and identity.
fn interpreted(case: &Case, inputs: &[Lanes], n: u64, aligned: bool) -> Option<Vec<Value>> {
    let inputs: Vec<_> = inputs.iter().map(|it| Input::new(it.clone(), aligned)).collect();
    interpreted_inputs(case, &inputs, n)
}

fn interpreted_inputs(Case { program, lowered, .. }: &Case, inputs: &[Input], n: u64) -> Option<Vec<Value>> {
    let operation = &program.operation;
    if n == 0 && operation.fill.is_some() && !operation.has_result_of_nothing() {
        // No kernel is launched, because it would finish the fill.
        return host::empty_result(operation, &[]).ok();
    }
    let mut domain = Values::new(operation);
    let outcome = run(program, lowered, &mut domain, inputs, n, Options::FORWARD);
    let has_no_result = n == 0 && !operation.has_result_of_nothing();
    if let Some(report) = outcome.reports.iter().find(|it| !(has_no_result && it.kind == Wrong::Undefined)) {
        panic!("{report}, n = {n}\n{program}");
    }
    outcome.acc().and_then(|acc| operation.unstored(domain.finish(acc, n, &[]).unwrap()).ok())
}

fn on_host(Case { program, association, .. }: &Case, inputs: &[Lanes]) -> Option<Vec<Value>> {
    let inputs: Vec<_> = inputs.iter().map(Lanes::borrow).collect();
    host::reduce(&program.operation, association, &inputs).ok()
}

fn elements(program: &Program, n: u64, kind: Kind) -> Vec<Lanes> {
    let inputs = program.operation.inputs.iter().zip(0..);
    inputs.map(|(input, place)| data::elements(input.ty, n, kind, place)).collect()
}

fn check(case: &Case, name: &str, n: u64, kind: Kind) {
    let program = &case.program;
    let kind = plain::suited(name, program.operation.inputs[0].ty, kind);
    let inputs = elements(program, n, kind);
    let found = on_host(case, &inputs);
    let ways: &[bool] = if program.kernels[0].fold().width > 1 { &[true, false] } else { &[true] };
    for &aligned in ways {
        assert_eq!(interpreted(case, &inputs, n, aligned), found, "{kind:?}, n = {n}\n{program}");
    }
    check_right(program, name, kind, &inputs, found.as_deref());
}

fn check_right(program: &Program, name: &str, kind: Kind, inputs: &[Lanes], found: Option<&[Value]>) {
    let compared = plain::compare(program, name, kind, inputs, found, Rules::default());
    assert_eq!(compared, Ok(()), "{kind:?}, n = {}\n{program}", inputs[0].len());
}

/// Returns sizes up to 1025 and around the tiles of a program: all of them, or by default some of each, selected by `turn`.
fn sizes(program: &Program, turn: u64) -> impl Iterator<Item = u64> {
    let sampled = move |n: &u64, one_of: u64| full() || (n + turn).is_multiple_of(one_of);
    let edges = cases::lengths(program, 20_000).into_iter().map(|n| n as u64);
    (0..=1025).filter(move |n| sampled(n, 787)).chain(edges.filter(move |n| sampled(n, 29)))
}

/// Returns every operator with every type that it takes.
fn pairs() -> Vec<(&'static str, Scalar)> {
    let all = OPERATORS.iter().flat_map(|row| Scalar::ALL.map(|ty| (row, ty)));
    all.filter(|(row, ty)| row.takes(*ty)).map(|(row, ty)| (row.name, ty)).collect()
}

#[test]
fn every_operator_type_pass_and_size() {
    let pairs: Vec<_> = rotation::sample(pairs(), 80).collect();
    let programs = pairs.into_par_iter().flat_map_iter(|(name, ty)| {
        cases::programs(name, ty).into_iter().map(move |program| (name, Case::new(program)))
    });
    let checked = programs.map(|(name, case)| {
        // Each program gets sizes and data of its own, whichever thread runs it.
        let turn = data::random(hash(&case)) % 5057;
        sizes(&case.program, turn)
            .map(|n| check(&case, name, n, Kind::ALL[(n + turn) as usize % Kind::ALL.len()]))
            .count()
    });
    let checked: usize = checked.sum();
    println!("{checked} reductions, each in the interpreter and on the host");
    assert!(checked > 500);
}

fn hash(case: &Case) -> u64 {
    let text = format!("{}", case.program);
    text.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

/// A rotating third of the operators on types.
#[test]
fn nothing_and_one_element() {
    for (name, ty) in rotation::sample(pairs(), 30) {
        let case = Case::new(reduce_codegen::compile(&cases::auto(name, ty)).unwrap());
        [0, 1].into_iter().for_each(|n| Kind::ALL.iter().for_each(|&kind| check(&case, name, n, kind)));
    }
}

/// `nan: ignore` and `ties: last`: a rotating half of the operators and types, by lists with fill and without.
#[test]
fn nan_ignored_and_the_last_of_equals() {
    let rules = Rules { ignore: true, last: true };
    for (turn, (name, ty)) in rotation::sample(pairs().into_iter().enumerate(), 2) {
        let lists = [LISTS[turn % LISTS.len()], LISTS[(turn + 11) % LISTS.len()]];
        for spec in lists.map(|list| cases::choosing(name, ty, list)).into_iter().filter(cases::fits) {
            let case = Case::new(reduce_codegen::compile(&spec).unwrap());
            for (n, kind) in [0, 1, 31, 257, 1000, 4097].into_iter().zip(Kind::ALL.into_iter().rev().cycle())
            {
                let kind = plain::suited(name, ty, kind);
                let inputs = elements(&case.program, n, kind);
                let found = on_host(&case, &inputs);
                assert_eq!(
                    interpreted(&case, &inputs, n, true),
                    found,
                    "{kind:?}, n = {n}\n{}",
                    case.program
                );
                let compared = plain::compare(&case.program, name, kind, &inputs, found.as_deref(), rules);
                assert_eq!(compared, Ok(()), "{kind:?}, n = {n}\n{}", case.program);
            }
        }
    }
}

/// Strided elements, with another stride for each input: interpreter, host, and a plain loop over the same elements side by
/// side.
#[test]
fn strided_elements() {
    for spec in cases::all_strided() {
        let (case, name) = (Case::new(reduce_codegen::compile(&spec).unwrap()), &spec.operation.name);
        for n in cases::lengths(&case.program, 5000) {
            let kind = Kind::ALL[n % Kind::ALL.len()];
            check_strided(&case, name, n, kind);
        }
    }
}

fn check_strided(case: &Case, name: &str, n: usize, kind: Kind) {
    let Case { program, association, .. } = case;
    let kind = plain::suited(name, program.operation.inputs[0].ty, kind);
    let packed = elements(program, n as u64, kind);
    let sign = |place: usize| if (n + place).is_multiple_of(3) { -1 } else { 1 };
    let places = (0..).map(|place| (n % 5 + place, sign(place) * (1 + (n + place) as isize % 8)));
    let spread = packed.iter().zip(places).map(|(lanes, (offset, step))| data::spread(lanes, offset, step));
    let spread: Vec<_> = spread.collect();
    let views: Vec<_> = spread.iter().map(|input| input.with_data(input.data.borrow())).collect();
    let found = host::reduce(&program.operation, association, &views).ok();
    let memory: Vec<_> = spread.iter().map(memory).collect();
    assert_eq!(interpreted_inputs(case, &memory, n as u64), found, "{kind:?}, n = {n}\n{program}");
    assert_eq!(on_host(case, &packed), found, "{kind:?}, n = {n}\n{program}");
    check_right(program, name, kind, &packed, found.as_deref());
}

/// Returns the memory of an input for the interpreter.
fn memory(input: &Strided<Lanes>) -> Input {
    Input {
        elements: input.data.clone(),
        first: input.offset as u64,
        steps: vec![input.step as i64],
        offset: 0,
    }
}

/// One element repeated by a step of 0, next to another input.
#[test]
fn repeated_elements() {
    for spec in cases::all_strided() {
        let case = Case::new(reduce_codegen::compile(&spec).unwrap());
        let types: Vec<_> = case.program.operation.inputs.iter().map(|input| input.ty).collect();
        for n in cases::lengths(&case.program, 5000) {
            let element = |(&ty, place)| data::elements(ty, 3, Kind::Exact, place);
            let memories: Vec<_> = types.iter().zip(0..).map(element).collect();
            let repeat = |lanes: &Lanes| Strided { data: lanes.clone(), offset: 1, step: 0, len: n };
            let repeated: Vec<_> = memories.iter().map(repeat).collect();
            let views: Vec<_> = repeated.iter().map(|input| input.with_data(input.data.borrow())).collect();
            let found = host::reduce(&case.program.operation, &case.association, &views).ok();
            let packed: Vec<_> = memories.iter().map(|lanes| Lanes::splat(lanes.get(1), n)).collect();
            assert_eq!(on_host(&case, &packed), found, "n = {n}\n{}", case.program);
            let inputs: Vec<_> = repeated.iter().map(memory).collect();
            assert_eq!(interpreted_inputs(&case, &inputs, n as u64), found, "n = {n}\n{}", case.program);
        }
    }
}

/// Large sizes on the host backend, by a rotating quarter of the operators.
#[test]
fn powers_of_two_and_their_neighbours() {
    let operators =
        [("sum", Scalar::F32), ("argmax", Scalar::F32), ("max", Scalar::F16), ("dot", Scalar::I32)];
    for (name, ty) in rotation::sample(operators, 4) {
        let case = Case::new(reduce_codegen::compile(&cases::auto(name, ty)).unwrap());
        let inputs = case.program.operation.inputs.iter().zip(0..);
        let all: Vec<_> =
            inputs.map(|(it, place)| data::elements(it.ty, (1 << 24) + 1, Kind::Exact, place)).collect();
        for n in
            (11..=24).step_by(if full() { 1 } else { 11 }).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1])
        {
            let some: Vec<_> = all.iter().map(|lanes| data::prefix(lanes, n)).collect();
            assert_eq!(
                on_host(&case, &some),
                plain::reduce(name, &some, Rules::default()),
                "{name} {ty}, n = {n}"
            );
        }
    }
}
