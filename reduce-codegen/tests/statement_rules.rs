//! The verifier of statements reports each rule that is broken on purpose.

use crate::support::spec;
use reduce_codegen::{compile, lower};
use reduce_dsl::operators::operator;
use reduce_ir::ops::{Bin, Un};
use reduce_ir::program::{Program, Scope};
use reduce_ir::statements::{
    AtomicOp, Barrier, Buffer, Expr, FULL, Local, Loop, Lowered, MemoryOrder, Shared, Stmt, Ty, Unroll,
};
use reduce_ir::{Domain, Scalar, Value};
use std::collections::BTreeSet;

/// A change of kernels.
type Change = Box<dyn Fn(&mut Lowered)>;

/// A change that breaks a rule in the kernels of an operator with these passes.
type Broken = (u32, &'static str, Change);

fn program(words: &str) -> Program {
    let (name, list) = words.split_once(' ').unwrap_or((words, ""));
    compile(&spec(operator(name).unwrap(), Scalar::F32, 256, list)).unwrap()
}

/// Returns the body of the kernel over inputs.
fn body(lowered: &mut Lowered) -> &mut Vec<Stmt> {
    &mut lowered.kernels[0].body
}

fn to_body(change: impl Fn(&mut Vec<Stmt>) + 'static) -> Change {
    Box::new(move |lowered| change(body(lowered)))
}

/// Inserts statements before all others.
fn prepend(stmts: Vec<Stmt>) -> Change {
    to_body(move |body| drop(body.splice(0..0, stmts.clone())))
}

/// Appends statements after all others.
fn append(stmts: Vec<Stmt>) -> Change {
    to_body(move |body| body.extend(stmts.clone()))
}

/// Inserts a statement after the arrival.
fn after_arrival(stmt: Stmt) -> Change {
    to_body(move |body| {
        let arrival = body.iter().position(|it| *it == Stmt::Arrive).unwrap();
        body.insert(arrival + 1, stmt.clone());
    })
}

#[test]
fn every_rule_of_statements_is_checked() {
    let broken =
        [of_names(), of_types(), of_meetings(), of_clusters(), of_vectors(), of_places(), of_kinds()];
    let broken: Vec<Broken> = broken.into_iter().flatten().collect();
    let rules: BTreeSet<u32> = broken.iter().map(|(rule, ..)| *rule).collect();
    assert_eq!(rules, (1..=12).collect());
    for (rule, words, change) in broken {
        let it = program(words);
        let mut lowered = lower(&it).unwrap();
        change(&mut lowered);
        let found = lowered.verify(&it).err().map(|violation| violation.rule);
        assert_eq!(found, Some(rule), "{words}\n{lowered}");
    }
}

/// Changes that break no rule are accepted: the verifier checks rules, and not whether there is a change.
#[test]
fn what_is_no_change_for_the_worse_is_accepted() {
    let it = program("max shuffle");
    let mut lowered = lower(&it).unwrap();
    append(vec![named("fresh", Ty::U32, 1.into()), load("element", Ty::Scalar(Scalar::F32))])(&mut lowered);
    assert_eq!(lowered.verify(&it), Ok(()));
}

fn named(name: &str, ty: Ty, value: Expr) -> Stmt {
    Stmt::Let(Local::new(name, ty), value)
}

/// Loads the first element, or the first few, into a variable.
fn load(name: &str, ty: Ty) -> Stmt {
    Stmt::Load(Local::new(name, ty), Buffer::Input(0).at(zero()))
}

fn zero() -> Expr {
    Expr::Const(Value::of(0u64))
}

fn acc() -> Expr {
    Expr::Local(Local::new("acc", Ty::Acc))
}

fn lane_0() -> Expr {
    Expr::Thread.equals(0)
}

fn vector(ty: Scalar, lanes: u32) -> Ty {
    Ty::Vector(ty, lanes)
}

fn of_names() -> Vec<Broken> {
    let taken = |name| (1, "max shuffle", append(vec![named(name, Ty::U32, 1.into())]));
    let nowhere = Expr::Local(Local::new("nowhere", Ty::U32));
    let mut broken: Vec<Broken> =
        ["first", "x", "n", "TILE", "warp_values", "x_step"].map(taken).into_iter().collect();
    broken.extend([
        (1, "max shuffle", append(vec![named("later", Ty::U32, nowhere)])),
        (3, "max shuffle", append(vec![Stmt::Set(Local::new("count", Ty::U32), 1.into())])),
        (8, "max", Box::new(|lowered| lowered.kernels[0].constants[0].formula = "3 * 5".to_owned())),
        (8, "max shuffle", append(vec![named("constant", Ty::U32, Expr::Named("NOTHING"))])),
        (8, "max shuffle", append(vec![named("offset", Ty::U64, Expr::Offset(0, vec![(0, zero())]))])),
        (9, "max shuffle", append(vec![named("wraps", Ty::U32, Expr::Block.times(Expr::Named("TILE")))])),
    ]);
    broken
}

/// Expressions of the wrong type, or that index arithmetic does not allow.
fn of_types() -> Vec<Broken> {
    let float = Ty::Scalar(Scalar::F32);
    let element = || Local::new("element", float);
    let value =
        |ty, value| (2, "max shuffle", append(vec![load("element", float), named("value", ty, value)]));
    let not = |op, of| Expr::Un(op, Box::new(of));
    let ticket = |into| Stmt::Atomic {
        into: Local::new("old", into),
        op: AtomicOp::Add,
        place: Buffer::Ticket.at(zero()),
        value: 1.into(),
        order: MemoryOrder::AcqRel,
        scope: Scope::Grid,
    };
    vec![
        value(Ty::U64, 1.into()),
        value(float, Expr::Thread.cast(Scalar::F32)),
        value(Ty::U32, not(Un::Not, Expr::Thread)),
        value(Ty::BOOL, not(Un::IsNan, element().get())),
        value(float, element().get().times(element().get())),
        value(Ty::BOOL, element().get().equals(element().get())),
        value(Ty::U32, Expr::Thread.bin(Bin::Shl, Expr::Thread)),
        (2, "max shuffle", append(vec![Stmt::when(1.into(), Vec::new())])),
        (2, "max shuffle", append(vec![Stmt::Vote(Local::new("any", Ty::U64), lane_0())])),
        (2, "max one_block ticket", append(vec![ticket(Ty::U64)])),
        (7, "max shuffle", append(vec![ticket(Ty::U32)])),
    ]
}

/// Collective statements that not all of their threads execute.
fn of_meetings() -> Vec<Broken> {
    let shuffle =
        Stmt::Shuffle { into: Local::new("far", Ty::Acc), value: acc(), down: 1.into(), mask: FULL };
    let some = |stmt| append(vec![Stmt::when(lane_0(), vec![stmt])]);
    vec![
        (4, "max shuffle", some(Stmt::Barrier(Barrier::Block))),
        (4, "max shuffle", some(Stmt::Vote(Local::new("any", Ty::BOOL), lane_0()))),
        (4, "max shuffle", some(Stmt::Exit)),
        (5, "max shuffle", some(shuffle)),
        (5, "max shuffle", append(vec![Stmt::Barrier(Barrier::Warp(1))])),
        (11, "max shuffle", append(vec![Stmt::TriggerLaunch])),
        (11, "max shuffle", append(vec![Stmt::AwaitLaunch])),
        (11, "max shuffle dependent", some(Stmt::AwaitLaunch)),
        (11, "max shuffle dependent", prepend(vec![Stmt::Barrier(Barrier::Block)])),
        (11, "max shuffle dependent", to_body(|body| body.retain(|stmt| *stmt != Stmt::AwaitLaunch))),
    ]
}

/// Arrivals and waits that do not alternate or are conditional, and messages that are not between them.
fn of_clusters() -> Vec<Broken> {
    let meet = || Stmt::Barrier(Barrier::Cluster);
    let turns = Loop {
        local: Local::new("turn", Ty::U32),
        from: 0.into(),
        test: Local::new("turn", Ty::U32).get().below(2),
        next: Local::new("turn", Ty::U32).get().plus(1),
        unroll: Unroll::Unsaid,
        body: vec![meet()],
    };
    let never = || Expr::Items.equals(zero());
    let [values, tree] = ["block_values", "tree"].map(|array| Buffer::Shared(array).at(0.into()));
    let expect = || Stmt::Expect("block_values", 2.into());
    let early = Stmt::Send(values.clone(), acc());
    let second = Shared { name: "more", len: "CLUSTER", sent: true };
    vec![
        (4, "max shuffle", append(vec![meet()])),
        (4, "max shuffle", append(vec![named("rank", Ty::U32, Expr::Rank)])),
        (4, "max shuffle", prepend(vec![expect()])),
        (4, "max cluster(2)", append(vec![Stmt::when(never(), vec![meet()])])),
        (4, "max cluster(2)", append(vec![Stmt::when(never(), vec![Stmt::Arrive])])),
        (4, "max cluster(2)", append(vec![Stmt::For(Box::new(turns))])),
        (4, "max cluster(2)", to_body(|body| body.retain(|stmt| *stmt != Stmt::Arrive))),
        (4, "max cluster(2)", after_arrival(Stmt::Arrive)),
        (4, "max cluster(2)", after_arrival(meet())),
        (4, "max cluster(2)", append(vec![Stmt::Wait])),
        (12, "max cluster(2)", after_arrival(expect())),
        (12, "max cluster(2)", append(vec![expect()])),
        (12, "max cluster(2)", prepend(vec![Stmt::Receive("block_values")])),
        (12, "max cluster(2)", prepend(vec![Stmt::Var(Local::new("acc", Ty::Acc), Expr::Empty), early])),
        (12, "max cluster(2)", append(vec![Stmt::Send(tree, acc())])),
        (12, "max cluster(2)", append(vec![Stmt::Receive("tree")])),
        (7, "max cluster(2)", append(vec![Stmt::Store(values, Expr::Empty)])),
        (12, "max cluster(2)", Box::new(move |lowered| lowered.kernels[0].shared.push(second.clone()))),
    ]
}

fn of_vectors() -> Vec<Broken> {
    let four = Local::new("four", vector(Scalar::F32, 4));
    let copy = |bind: fn(Local, Expr) -> Stmt| {
        let copied = bind(Local::new("copy", four.ty), four.get());
        (6, "max shuffle", append(vec![load("four", four.ty), copied]))
    };
    let fifth = Stmt::when(Expr::Lane(four.clone(), 4).equals(Expr::Const(Value::of(0f32))), Vec::new());
    let one = Local::new("one", Ty::Scalar(Scalar::F32));
    vec![
        (6, "max shuffle", append(vec![load("wide", vector(Scalar::F32, 8))])),
        (6, "max shuffle", append(vec![load("three", vector(Scalar::F32, 3))])),
        (6, "max shuffle", append(vec![Stmt::LoadUnaligned(one, Buffer::Input(0).at(zero()))])),
        copy(Stmt::Let),
        copy(Stmt::Var),
        (2, "max shuffle", append(vec![load("four", four.ty), fifth])),
    ]
}

fn of_places() -> Vec<Broken> {
    let atomic = |order| Stmt::AtomicCombine {
        place: Buffer::Partials.at(zero()),
        value: acc(),
        order,
        scope: Scope::Grid,
    };
    let aligned = |buffer| Stmt::when(Expr::Aligned(buffer, 16), Vec::new());
    let undeclared = Stmt::Load(Local::new("gone", Ty::Acc), Buffer::Shared("nothing").at(Expr::Thread));
    let more = Shared { name: "more", len: "BLOCK", sent: false };
    vec![
        (7, "max shuffle atomic", append(vec![atomic(MemoryOrder::AcqRel)])),
        (7, "max shuffle", append(vec![atomic(MemoryOrder::Relaxed)])),
        (7, "max shuffle", append(vec![Stmt::Store(Buffer::Items.at(zero()), acc())])),
        (7, "max shuffle", append(vec![undeclared])),
        (7, "max shuffle", append(vec![aligned(Buffer::Input(1))])),
        (7, "max shuffle", append(vec![aligned(Buffer::Items)])),
        (8, "max shuffle", Box::new(move |lowered| lowered.kernels[0].shared.push(more.clone()))),
        (
            8,
            "max shuffle",
            Box::new(|lowered| {
                lowered.kernels[0].constants.iter_mut().for_each(|constant| constant.value = u32::MAX);
            }),
        ),
    ]
}

/// Accumulators of the wrong kind. More cases: `redux.rs`.
fn of_kinds() -> Vec<Broken> {
    let number = Local::new("number", Ty::U32);
    vec![(10, "max shuffle", append(vec![Stmt::Var(number.clone(), 0.into()), Stmt::Redux(number, None)]))]
}

#[test]
fn strided_elements_are_loaded_one_by_one() {
    let mut strided = program("max shuffle");
    strided.domain = Domain::STRIDED;
    for load in [Stmt::Load, Stmt::LoadUnaligned] {
        let mut lowered = lower(&strided).unwrap();
        let four = Local::new("four", vector(Scalar::F32, 4));
        body(&mut lowered).push(load(four, Buffer::Input(0).at(zero())));
        assert_eq!(lowered.verify(&strided).unwrap_err().rule, 6);
    }
}
