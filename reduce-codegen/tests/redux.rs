//! One instruction in place of a tree does not affect results: kernels with `redux` give the results of kernels without it,
//! bit for bit, whatever the data, its alignment and its length.

use crate::support::random::Random;
use crate::support::rotation::sample;
use crate::support::{boundaries, spec_of};
use rayon::prelude::*;
use reduce_codegen::{compile, lower};
use reduce_dsl::operators::OPERATORS;
use reduce_dsl::parse::text;
use reduce_interpreter::{Input, Options, Values, run};
use reduce_ir::operation::Operation;
use reduce_ir::program::Program;
use reduce_ir::redux::Redux;
use reduce_ir::statements::{Expr, Local, Stmt, Ty};
use reduce_ir::{Scalar, Value, bf16, f16};
use reduce_lanes::Lanes;

/// Threads per block, and passes.
const LISTS: [(u32, &str); 4] = [
    (32, "shuffle"),
    (64, "shuffle vectorize(4) coarsen(2) unroll one_block ticket"),
    (128, "shuffle coarsen(2) one_block ticket flag"),
    (64, "shuffle vectorize(2) cluster(4)"),
];

const TYPES: [Scalar; 11] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::F16,
    Scalar::Bf16,
    Scalar::F32,
];

const CHOICES: [&str; 4] = ["", ", ties: last", ", nan: ignore", ", nan: ignore, ties: last"];

/// Returns few values of a type, so that there are ties: its ends, zeros of both signs, infinities and NaN.
fn few(ty: Scalar) -> Vec<Value> {
    let numbers = [0.0, -0.0, 1.0, -1.0, 2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
    let floats =
        numbers.map(|x| [Value::of(f16::from_f64(x)), Value::of(bf16::from_f64(x)), Value::of(x as f32)]);
    if ty.is_float() {
        return floats.into_iter().flatten().filter(|value| value.ty() == ty).collect();
    }
    [0, 1, 2, 0x7f, 0x80, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, u64::MAX]
        .map(|bits| Value::from_bits(ty, bits))
        .to_vec()
}

/// Returns elements with some of these values, sometimes with one value only.
fn elements(ty: Scalar, n: u64, random: &mut Random) -> Lanes {
    let all = few(ty);
    let kinds = 1 + random.below(all.len() as u64);
    let picked: Vec<_> = (0..kinds).map(|_| random.pick(&all)).collect();
    let mut lanes = Lanes::empty(ty);
    lanes.resize(n as usize);
    (0..n as usize).for_each(|at| lanes.set(at, random.pick(&picked)));
    lanes
}

fn result(program: &Program, input: &Input, n: u64) -> Vec<Value> {
    let mut domain = Values::new(&program.operation);
    let inputs = vec![input.clone(); program.operation.inputs.len()];
    let found = run(program, &lower(program).unwrap(), &mut domain, &inputs, n, Options::FORWARD);
    assert_eq!(found.reports, [], "n = {n}\n{program}");
    domain.finish(found.acc().unwrap(), n, &[]).unwrap()
}

fn same(operation: &Operation, near: &str, seed: u64) {
    for (block, list) in LISTS {
        let compiled = |words: &str| compile(&spec_of(operation, block, &format!("{list}{words}"))).unwrap();
        let [tree, redux] = [compiled(near), compiled(&format!("{near} redux"))];
        assert_eq!(tree.association(), redux.association(), "{list}");
        let mut random = Random::new(seed);
        for n in boundaries(&redux).into_iter().filter(|&n| (1..1500).contains(&n)) {
            let input = Input::new(elements(operation.inputs[0].ty, n, &mut random), random.below(2) == 0);
            let [tree, redux] = [&tree, &redux].map(|program| result(program, &input, n));
            assert_eq!(tree, redux, "{} of {}, {list}, n = {n}", operation.name, operation.inputs[0].ty);
        }
    }
}

/// Every operator, type and choice for which the hardware has an instruction.
#[test]
fn results_are_those_of_the_tree() {
    let sources = OPERATORS.iter().filter(|row| row.inputs == 1).flat_map(|row| {
        TYPES.iter().flat_map(|ty| CHOICES.map(|choice| format!("ty: {ty}, op: {}{choice}", row.name)))
    });
    let operations: Vec<_> = sources
        .filter_map(|source| Some(text(&source, None).ok()?.spec.operation))
        .filter_map(|operation| {
            let narrow = compile(&spec_of(&operation, 64, "narrow_index")).ok();
            let list = if narrow.is_some() { " narrow_index" } else { "" };
            Redux::of(&narrow.map_or_else(|| operation.clone(), |it| it.operation)).map(|_| (operation, list))
        })
        .collect();
    let sampled: Vec<_> = sample(operations.iter().enumerate(), 8).collect();
    sampled.into_par_iter().for_each(|(seed, (operation, near))| same(operation, near, seed as u64));
    let names: std::collections::BTreeSet<_> = operations.iter().map(|(it, _)| it.name.as_str()).collect();
    println!("{} operations: {names:?}", operations.len());
    assert!(["max", "min", "minmax", "argmax", "findmin", "argminmax"].iter().all(|it| names.contains(it)));
}

/// Equal zeros become one zero, so if the value itself is the result, its sign would be lost.
#[test]
fn what_it_cannot_do_is_refused() {
    let refused = |source: &str, list: &str| {
        let operation = text(source, None).unwrap().spec.operation;
        compile(&spec_of(&operation, 64, list)).unwrap_err().to_string()
    };
    let none = |name: &str| {
        format!(
            "`{name}` is not an order-independent sum of integers, minimum, maximum or position of at most 32 bits"
        )
    };
    assert!(refused("ty: f32, op: findmax", "shuffle narrow_index redux").contains(&none("findmax")));
    assert!(refused("ty: f32, op: max, commutative: false", "shuffle redux").contains(&none("max")));
    assert!(refused("ty: f32, op: sum", "shuffle redux").contains(&none("sum")));
    assert!(refused("ty: i64, op: max", "shuffle redux").contains(&none("max")));
    assert!(refused("ty: f32, op: max", "redux").contains("write `shuffle` before `redux`"));
    assert!(
        refused("ty: f32, op: argmax", "shuffle redux narrow_index")
            .contains("write `narrow_index` before `redux`")
    );
}

/// All threads of a warp execute it together, and positions in the accumulator must be narrow.
#[test]
fn what_it_takes_is_checked() {
    let operation = text("ty: f32, op: argmax", None).unwrap().spec.operation;
    let program = compile(&spec_of(&operation, 64, "shuffle narrow_index redux")).unwrap();
    let redux = |ty| Stmt::Redux(Local::new("taken", ty), None);
    let var = |ty, value| Stmt::Var(Local::new("taken", ty), value);
    let some = Stmt::when(Expr::Thread.below(7u32), vec![redux(Ty::Acc)]);
    for (stmts, rule) in [
        (vec![var(Ty::Acc, Expr::Empty), redux(Ty::Acc)], None),
        (vec![var(Ty::U32, 0.into()), redux(Ty::U32)], Some(10)),
        (vec![var(Ty::Acc, Expr::Empty), some], Some(5)),
    ] {
        let mut lowered = lower(&program).unwrap();
        lowered.kernels[0].body.extend(stmts.clone());
        assert_eq!(lowered.verify(&program).err().map(|violation| violation.rule), rule, "{stmts:?}");
    }
}
