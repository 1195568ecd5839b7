//! Short spellings for kernels, and functions that run them.

use reduce_dsl::operators::operator;
use reduce_interpreter::{Kind, Launched, Memory, Options, Provenance, Report, Schedule, launch};
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::program::Reads;
use reduce_ir::statements::{Barrier, Buffer, Constant, Expr, Local, LoweredKernel, Place, Shared, Stmt, Ty};
use reduce_ir::{Domain, Scalar, Value};

pub(crate) const BARRIER: Stmt = Stmt::Barrier(Barrier::Block);

/// A sum of `f32`, which has an identity.
pub(crate) fn sum() -> Operation {
    operator("sum").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap()
}

/// A kernel of one warp, with a shared array `s` of 64 accumulators.
pub(crate) fn kernel(body: Vec<Stmt>) -> LoweredKernel {
    let constant =
        |name, value: u32| Constant { name, value, formula: value.to_string(), note: String::new() };
    LoweredKernel {
        name: "kernel",
        reads: Reads::Inputs,
        block: 32,
        cluster: 1,
        streaming: false,
        dependent: false,
        domain: Domain::WHOLE,
        constants: vec![constant("LEN", 64)],
        lists: Vec::new(),
        resident: None,
        shared: vec![Shared { name: "s", len: "LEN", sent: false }],
        body,
    }
}

/// A kernel of `block` threads a block.
pub(crate) fn wide(block: u32, body: Vec<Stmt>) -> LoweredKernel {
    LoweredKernel { block, ..kernel(body) }
}

pub(crate) fn acc(name: &str) -> Local {
    Local::new(name, Ty::Acc)
}

pub(crate) fn wide_literal(value: u64) -> Expr {
    Expr::Const(Value::of(value))
}

/// A place in the shared array.
pub(crate) fn s(index: impl Into<Expr>) -> Place {
    Buffer::Shared("s").at(index.into())
}

pub(crate) fn partial(index: Expr) -> Place {
    Buffer::Partials.at(index.cast(Scalar::U64))
}

pub(crate) fn result() -> Place {
    Buffer::Result.at(wide_literal(0))
}

pub(crate) fn finish(acc: &Local) -> Stmt {
    Stmt::Store(result(), Expr::Finish(Box::new(acc.get()), Vec::new()))
}

/// Binds the accumulator of the element at a position to a name.
pub(crate) fn take(name: &str, position: Expr) -> Vec<Stmt> {
    let element = Local::new(format!("{name}_element"), Ty::Scalar(Scalar::F32));
    let place = Buffer::Input(0).at(position.cast(Scalar::U64));
    vec![Stmt::Load(element.clone(), place), Stmt::Let(acc(name), Expr::Map(vec![element.get()]))]
}

/// Executes a body only where a condition holds.
pub(crate) fn when(test: Expr, body: impl IntoIterator<Item = Stmt>) -> Stmt {
    Stmt::when(test, body.into_iter().collect())
}

/// The outcome of a launch on 256 elements with 8 partials: its reports, and the tree of its result.
pub(crate) struct Found {
    pub(crate) reports: Vec<Report>,
    pub(crate) result: Option<String>,
    pub(crate) leaves: Vec<u64>,
}

pub(crate) fn run(kernel: &LoweredKernel, grid: u64, schedule: Schedule) -> Found {
    let operation = sum();
    let mut domain = Provenance::new(&operation);
    let inputs = Provenance::inputs(&operation, 256, true);
    let memory = Memory::new(&inputs, 8);
    let launched: Launched<'_> =
        launch(&operation, kernel, &mut domain, memory, grid, 256, Options::under(schedule));
    let result = launched.memory.results[0];
    let leaves = result.map_or(Vec::new(), |tree| domain.leaves(tree));
    Found { reports: launched.reports, result: result.map(|tree| domain.text(tree)), leaves }
}

/// Returns the kinds of the reports under a schedule, in order.
pub(crate) fn kinds(kernel: &LoweredKernel, grid: u64, schedule: Schedule) -> Vec<Kind> {
    run(kernel, grid, schedule).reports.into_iter().map(|report| report.kind).collect()
}

/// Asserts that no schedule reports anything.
pub(crate) fn clean(kernel: &LoweredKernel, grid: u64) {
    for schedule in Schedule::all(grid) {
        let found = run(kernel, grid, schedule);
        assert!(found.reports.is_empty(), "{schedule:?}: {}\n{kernel}", found.reports[0]);
    }
}

/// Asserts that every schedule reports this kind of fault, perhaps with others that follow from it.
pub(crate) fn wrong(kernel: &LoweredKernel, grid: u64, kind: Kind) {
    for schedule in Schedule::all(grid) {
        let found = kinds(kernel, grid, schedule);
        assert!(found.contains(&kind), "{schedule:?}: {found:?}\n{kernel}");
    }
}
