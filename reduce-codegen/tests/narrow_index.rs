//! Narrow indices do not affect results: kernels with `narrow_index` give the results of kernels without it, bit for bit,
//! whatever the data, its alignment and its length.

use crate::support::random::Random;
use crate::support::rotation::sample;
use crate::support::{boundaries, spec_of};
use rayon::prelude::*;
use reduce_codegen::{compile, cuda, lower};
use reduce_dsl::parse::text;
use reduce_interpreter::{Input, Options, Values, run};
use reduce_ir::operation::Operation;
use reduce_ir::program::Program;
use reduce_ir::{Scalar, Value, f16};
use reduce_lanes::Lanes;

/// Threads per block, and passes.
const LISTS: [(u32, &str); 7] = [
    (32, ""),
    (64, "shuffle vectorize(4) coarsen(2) unroll"),
    (32, "sequential last_warp coarsen(3) one_block ticket"),
    (64, "shuffle vectorize(2) unroll one_block ticket"),
    (32, "shuffle vectorize(4) cluster(2)"),
    (32, "strided_index cluster(4) one_block ticket"),
    (64, "vectorize(16)"),
];

const OPERATIONS: [&str; 5] = ["argmin", "argmax", "findmin", "findmax", "argminmax"];

const CHOICES: [&str; 4] = ["", ", ties: last", ", nan: ignore", ", nan: ignore, ties: last"];

/// Returns elements with few distinct values, so that there are ties: zeros of both signs and NaN, or only those.
fn elements(ty: Scalar, n: u64, random: &mut Random, kind: u64) -> Lanes {
    let nan = f64::NAN;
    let few: &[f64] = match kind {
        0 => &[1.0, 2.0, -1.0, 0.0, -0.0],
        1 => &[0.0, -0.0],
        2 => &[1.0, nan, 3.0, 3.0, 2.0, f64::NEG_INFINITY],
        3 => &[nan],
        _ => &[nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, 7.0],
    };
    let mut lanes = Lanes::empty(ty);
    lanes.resize(n as usize);
    for at in 0..n as usize {
        lanes.set(at, number(ty, random.pick(few)));
    }
    lanes
}

/// Converts a number to one of the types of the tests. As an integer, NaN is 0.
fn number(ty: Scalar, value: f64) -> Value {
    let floats = [Value::of(f16::from_f64(value)), Value::of(value as f32), Value::of(value)];
    floats.into_iter().chain([Value::of(value as i8)]).find(|it| it.ty() == ty).unwrap()
}

/// Returns the result of all elements.
fn result(program: &Program, input: &Input, n: u64) -> Vec<Value> {
    let mut domain = Values::new(&program.operation);
    let inputs = vec![input.clone(); program.operation.inputs.len()];
    let found = run(program, &lower(program).unwrap(), &mut domain, &inputs, n, Options::FORWARD);
    assert_eq!(found.reports, [], "n = {n}\n{program}");
    domain.finish(found.acc().unwrap(), n, &[]).unwrap()
}

fn same(operation: &Operation, seed: u64) {
    for (block, list) in LISTS {
        let [wide, narrow] = [list.to_owned(), format!("{list} narrow_index")]
            .map(|list| compile(&spec_of(operation, block, &list)).unwrap());
        assert_eq!(wide.association(), narrow.association(), "{list}");
        let mut random = Random::new(seed);
        let ty = operation.inputs[0].ty;
        for n in boundaries(&narrow).into_iter().filter(|&n| (1..3000).contains(&n)) {
            for kind in [n % 5, (n + 2) % 5] {
                let input = Input::new(elements(ty, n, &mut random, kind), random.below(2) == 0);
                let [wide, narrow] = [&wide, &narrow].map(|program| result(program, &input, n));
                assert_eq!(wide, narrow, "{}, {list}, n = {n}, data {kind}", operation.name);
            }
        }
    }
}

#[test]
fn operators_give_the_same_bits() {
    let all: Vec<_> =
        OPERATIONS.iter().flat_map(|op| CHOICES.map(|choice| format!("op: {op}{choice}"))).collect();
    let sampled: Vec<_> = sample(all.iter().enumerate(), 3).collect();
    sampled.into_par_iter().for_each(|(seed, source)| {
        let ty = ["f32", "f16", "f64"][seed % 3];
        same(&text(&format!("ty: {ty}, {source}"), None).unwrap().spec.operation, seed as u64);
    });
    same(&text("op: argmax, ty: i8", None).unwrap().spec.operation, 77);
}

#[test]
fn closures_give_the_same_bits() {
    let closures = [
        "ty: f32, index: i, map: |x| if x > 0.0 { i } else { u64::MAX }, op: min",
        "ty: f32, index: i, identity: none, acc: Ends { count: u64, first: u64, last: u64 }, \
         map: |x| Ends { count: 1, first: i, last: i }, \
         op: |a, b| Ends { count: a.count + b.count, first: a.first.min(b.first), last: a.last.max(b.last) }",
        "ty: f64, index: i, identity: none, commutative: false, acc: At { v: f64, at: u64 }, \
         map: |x| At { v: x, at: i }, op: |a, b| if b.v >= a.v { b } else { a }",
    ];
    for (seed, source) in closures.into_iter().enumerate() {
        let operation = text(source, None).unwrap().spec.operation;
        if operation.commutative {
            same(&operation, seed as u64);
        } else {
            ordered(&operation);
        }
    }
}

/// With an operator that keeps the order, threads have consecutive elements, and positions are relative to the first of
/// them.
fn ordered(operation: &Operation) {
    for list in ["", "shuffle coarsen(3)", "shuffle vectorize(2) unroll"] {
        let [wide, narrow] = [list.to_owned(), format!("narrow_index {list}")]
            .map(|list| compile(&spec_of(operation, 32, &list)).unwrap());
        let mut random = Random::new(3);
        for n in boundaries(&narrow).into_iter().filter(|&n| (1..3000).contains(&n)) {
            let input = Input::new(elements(Scalar::F64, n, &mut random, 2), true);
            let [wide, narrow] = [&wide, &narrow].map(|program| result(program, &input, n));
            assert_eq!(wide, narrow, "{list}, n = {n}");
        }
    }
}

/// The emitted text states that positions are narrow, and widens them in `finish`.
#[test]
fn the_text_says_so() {
    let argmax = text("op: argmax, ty: f32", None).unwrap().spec.operation;
    for list in ["narrow_index", "narrow_index shuffle one_block ticket", "narrow_index shuffle cluster(2)"] {
        let cuda = cuda(&compile(&spec_of(&argmax, 64, list)).unwrap()).unwrap();
        assert!(
            cuda.contains("// Positions have 32 bits: the kernels are for fewer than 2^32 elements."),
            "{cuda}"
        );
        assert!(!cuda.contains("map(float x, unsigned long long"), "{cuda}");
    }
}

#[test]
fn narrow_positions_are_those_of_few_elements() {
    let argmax = text("op: argmax, ty: f32", None).unwrap().spec.operation;
    let mut program = compile(&spec_of(&argmax, 64, "narrow_index")).unwrap();
    assert_eq!(program.up_to, Some((1 << 32) - 64));
    program.up_to = None;
    assert_eq!(program.verify().unwrap_err().rule, 14);
}

/// A fold that does not use its position does not compute one, so no position is declared if no load is guarded.
#[test]
fn a_fold_without_a_position_names_none() {
    let spec = |fold: &str| {
        format!(
            "ty: bool, index: i, map: |x| Seen {{ any: x, at: i }}, acc: Seen {{ any: bool, at: u64 }}, \
             op: |a, b| Seen {{ any: a.any | b.any, at: a.at }}{fold}, identity: none, block: 64, \
             passes: [coarsen(13), narrow_index]"
        )
    };
    let named = |fold: &str| {
        let program = compile(&reduce_dsl::parse::spec(&spec(fold)).unwrap()).unwrap();
        cuda(&program).unwrap().matches("const unsigned int at = ").count()
    };
    let with_fold = named(", fold: |total, x| Seen { any: total.any | x, at: total.at }");
    assert_eq!((named(""), with_fold), (3, 2));
}
