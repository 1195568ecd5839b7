//! Reductions in one launch, written by hand around generated folds and trees. The block that takes the last ticket
//! combines the partials of all.

use super::kernels::{Launch, Leaves, Subject};
use super::support::spec;
use reduce_codegen::{compile, lower};
use reduce_dsl::operators::operator;
use reduce_ir::operation::Operation;
use reduce_ir::ops::Bin;
use reduce_ir::program::Scope;
use reduce_ir::statements::{
    AtomicOp, Barrier, Buffer, Expr, Local, Loop, LoweredKernel, MemoryOrder, Part, Place, Stmt, Ty, Unroll,
};
use reduce_ir::{Scalar, Value};

const BLOCK: u32 = 64;

/// Returns the kernels. Each has another way to order the partials before the reads of the last block.
pub(crate) fn tickets() -> Vec<Subject> {
    let one = |name: &str, deliver| subject(name, 1, last_thread(deliver));
    vec![
        one("acq_rel ticket", taken()),
        one("fences around a relaxed ticket", fenced()),
        subject("many writers, many readers", BLOCK.into(), last_block()),
    ]
}

fn subject(name: &str, of_block: u64, body: Vec<Stmt>) -> Subject {
    let (kernel, operation) = naive();
    let launch = |items: u64| Launch { items, grid: items.div_ceil(BLOCK.into()).max(1), aligned: true };
    Subject {
        name: format!("{name}, by hand"),
        operation,
        kernel: LoweredKernel { body, ..kernel },
        program: None,
        leaves: Leaves::Tickets(of_block),
        launches: [5 * 64 - 3, 64, 8 * 64 + 1].map(launch).to_vec(),
    }
}

fn naive() -> (LoweredKernel, Operation) {
    let spec = spec(operator("sum").unwrap(), Scalar::F32, BLOCK, "sequential");
    let kernel = lower(&compile(&spec).unwrap()).unwrap().kernels.swap_remove(0);
    (kernel, spec.operation)
}

/// Returns the fold of each thread, and the tree in shared memory with its stores.
fn fold_and_tree() -> (Vec<Stmt>, Vec<Stmt>) {
    let body = naive().0.body;
    let begins =
        |part| body.iter().position(|stmt| matches!(stmt, Stmt::Note(it, _) if *it == part)).unwrap();
    let [stage, deliver] = [Part::Stage, Part::Deliver].map(begins);
    (body[..stage].to_vec(), body[stage..deliver].to_vec())
}

/// Thread 0 writes the partial and takes the ticket. If it is the last, it combines all partials.
fn last_thread(take: Vec<Stmt>) -> Vec<Stmt> {
    let (fold, tree) = fold_and_tree();
    let total = Local::new("total", Ty::Acc);
    let leave = [
        Stmt::Load(total.clone(), Buffer::Shared("tree").at(0.into())),
        Stmt::Store(Buffer::Partials.at(wide(Expr::Block)), total.get()),
    ];
    let thread_0 = Stmt::when(Expr::Thread.equals(0), [leave.to_vec(), take].concat());
    [fold, tree, vec![thread_0]].concat()
}

/// A ticket that orders memory by itself.
fn taken() -> Vec<Stmt> {
    let rest = [partials_from(number(0), number(1), wide(Expr::Grid)), finish()];
    vec![take(MemoryOrder::AcqRel), Stmt::when(is_last(&old()), rest.concat())]
}

/// A relaxed ticket between fences, which order memory.
fn fenced() -> Vec<Stmt> {
    let fence = |order| Stmt::Fence(order, Scope::Grid);
    let rest =
        [vec![fence(MemoryOrder::Acquire)], partials_from(number(0), number(1), wide(Expr::Grid)), finish()];
    vec![fence(MemoryOrder::Release), take(MemoryOrder::Relaxed), Stmt::when(is_last(&old()), rest.concat())]
}

/// Every thread writes a partial. Thread 0 takes the ticket and tells the other threads, which all continue if it was the
/// last.
fn last_block() -> Vec<Stmt> {
    let (fold, tree) = fold_and_tree();
    let acc = Local::new("acc", Ty::Acc);
    let mine = wide(Expr::Block).times(wide(Expr::Named("BLOCK"))).bin(Bin::Add, wide(Expr::Thread));
    let told = Local::new("told", Ty::U32);
    let own_word = || Buffer::Ticket.at(number(1).bin(Bin::Add, wide(Expr::Block)));
    let all = wide(Expr::Grid).times(wide(Expr::Named("BLOCK")));
    let total = Local::new("total", Ty::Acc);
    let deliver = [vec![Stmt::Load(total, Buffer::Shared("tree").at(0.into()))], finish_of("total")];
    let rest = [
        vec![
            Stmt::Set(acc.clone(), Expr::Empty),
            gather("acc", wide(Expr::Thread), wide(Expr::Named("BLOCK")), all),
        ],
        tree,
        vec![Stmt::when(Expr::Thread.equals(0), deliver.concat())],
    ];
    let leave = vec![
        Stmt::Store(Buffer::Partials.at(mine), acc.get()),
        Stmt::Barrier(Barrier::Block),
        Stmt::when(
            Expr::Thread.equals(0),
            vec![take(MemoryOrder::AcqRel), Stmt::Store(own_word(), old().get())],
        ),
        Stmt::Barrier(Barrier::Block),
        Stmt::Load(told.clone(), own_word()),
        Stmt::when(is_last(&told), rest.concat()),
    ];
    [fold, leave].concat()
}

fn old() -> Local {
    Local::new("old", Ty::U32)
}

fn ticket() -> Place {
    Buffer::Ticket.at(number(0))
}

fn take(order: MemoryOrder) -> Stmt {
    let (op, value, scope) = (AtomicOp::Add, 1.into(), Scope::Grid);
    Stmt::Atomic { into: old(), op, place: ticket(), value, order, scope }
}

fn is_last(ticket: &Local) -> Expr {
    ticket.get().plus(1).equals(Expr::Grid)
}

/// Combines partials into a new variable `all`.
fn partials_from(from: Expr, stride: Expr, end: Expr) -> Vec<Stmt> {
    let all = Local::new("all", Ty::Acc);
    vec![Stmt::Var(all, Expr::Empty), gather("all", from, stride, end)]
}

fn gather(into: &str, from: Expr, stride: Expr, end: Expr) -> Stmt {
    let (into, at) = (Local::new(into, Ty::Acc), Local::new("at", Ty::U64));
    let partial = Local::new("partial", Ty::Acc);
    let body = vec![
        Stmt::Load(partial.clone(), Buffer::Partials.at(at.get())),
        Stmt::Set(into.clone(), into.get().combine(partial.get())),
    ];
    let (test, next) = (at.get().below(end), at.get().bin(Bin::Add, stride));
    Stmt::For(Box::new(Loop { local: at, from, test, next, unroll: Unroll::Unsaid, body }))
}

fn finish() -> Vec<Stmt> {
    finish_of("all")
}

/// Stores the result, and resets the ticket.
fn finish_of(total: &str) -> Vec<Stmt> {
    let total = Local::new(total, Ty::Acc).get();
    let reset = Stmt::Atomic {
        into: Local::new("taken", Ty::U32),
        op: AtomicOp::Exchange,
        place: ticket(),
        value: 0.into(),
        order: MemoryOrder::Relaxed,
        scope: Scope::Grid,
    };
    vec![Stmt::Store(Buffer::Result.at(number(0)), Expr::Finish(Box::new(total), Vec::new())), reset]
}

fn wide(expr: Expr) -> Expr {
    expr.cast(Scalar::U64)
}

fn number(value: u64) -> Expr {
    Expr::Const(Value::of(value))
}
