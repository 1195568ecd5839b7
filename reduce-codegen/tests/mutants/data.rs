//! Mutations of the computed values: bounds, guards, positions, operands and stores.

use super::catalogue::{Mutation, once};
use super::kernels::Subject;
use super::sites::{parts, with_expressions};
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::Reads;
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Loop, Place, Stmt, Ty};
use reduce_ir::{Scalar, Value};

pub(crate) const MUTATIONS: [Mutation; 22] = [
    Mutation::of_data("shuffle distance wrong", |_, stmt| match stmt {
        Stmt::Shuffle { into, value, down, mask } => {
            let (into, value, down) = (into.clone(), value.clone(), down.clone().plus(1));
            vec![vec![Stmt::Shuffle { into, value, down, mask: *mask }]]
        }
        _ => Vec::new(),
    }),
    Mutation::of_data("loop one turn more", |_, stmt| one_iteration_more(stmt)),
    Mutation::of_data("loop one turn less", |_, stmt| one_iteration_less(stmt)),
    Mutation::of_data("loop by doubling for halving", |_, stmt| reversed(stmt)),
    Mutation::of_data("guard one too wide", |_, stmt| guards(stmt, &at_most)),
    Mutation::of_data("guard one too narrow", |_, stmt| {
        [guards(stmt, &below_less_one), guards(stmt, &strictly_below)].concat()
    }),
    Mutation::of_data("guard dropped", |_, stmt| match stmt {
        Stmt::If(_, then, otherwise) => once(otherwise.is_empty(), || then.clone()),
        Stmt::Redux(acc, Some(_)) => vec![vec![Stmt::Redux(acc.clone(), None)]],
        _ => Vec::new(),
    }),
    Mutation::of_data("branches exchanged", |_, stmt| match stmt {
        Stmt::If(test, then, otherwise) if !otherwise.is_empty() => {
            vec![vec![Stmt::If(test.clone(), otherwise.clone(), then.clone())]]
        }
        _ => Vec::new(),
    }),
    Mutation::of_data("tail skipped", tail_skipped),
    Mutation::of_data("alignment not asked for", |_, stmt| {
        each(with_expressions(stmt, &|expr| match expr {
            Expr::Aligned(..) => vec![Expr::Const(Value::of(true))],
            _ => Vec::new(),
        }))
    }),
    Mutation::of_data("misaligned vector", |_, stmt| match stmt {
        Stmt::Load(local @ Local { ty: Ty::Vector(..), .. }, place) => {
            vec![vec![Stmt::Load(local.clone(), shifted(place))]]
        }
        _ => Vec::new(),
    }),
    Mutation::of_data("position off by one", |_, stmt| match stmt {
        Stmt::Load(Local { ty: Ty::Vector(..), .. }, _) => Vec::new(),
        Stmt::Load(local, place) => vec![vec![Stmt::Load(local.clone(), shifted(place))]],
        Stmt::Store(place, value) => vec![vec![Stmt::Store(shifted(place), value.clone())]],
        Stmt::Send(place, value) => vec![vec![Stmt::Send(shifted(place), value.clone())]],
        _ => Vec::new(),
    }),
    Mutation::of_data("in another block's memory", other_rank),
    Mutation::of_data("last block one off", |_, stmt| {
        each(with_expressions(stmt, &|expr| match expr {
            Expr::Cmp(Cmp::Eq, a, b) if counts_blocks(b) => {
                vec![
                    a.as_ref().clone().plus(1).equals(*b.clone()),
                    a.as_ref().clone().equals(b.as_ref().clone().plus(1)),
                ]
            }
            _ => Vec::new(),
        }))
    }),
    Mutation::of_data("64-bit position in 32 bits", narrow_positions),
    Mutation::of_data("narrow position one off", |_, stmt| {
        each(with_expressions(stmt, &|expr| match expr {
            Expr::Map(args) => one_off(args).into_iter().map(Expr::Map).collect(),
            Expr::Fold(acc, args) => {
                one_off(args).into_iter().map(|args| Expr::Fold(acc.clone(), args)).collect()
            }
            _ => Vec::new(),
        }))
    }),
    Mutation::of_data("another thread's turn", another_thread),
    Mutation::of_data("identity wrong", fill_wrong),
    Mutation::of_data("operands exchanged", |_, stmt| {
        each(with_expressions(stmt, &|expr| match expr {
            Expr::Combine(a, b) => vec![b.as_ref().clone().combine(a.as_ref().clone())],
            _ => Vec::new(),
        }))
    }),
    Mutation::of_data("counted twice", |_, stmt| {
        once(is_combination(stmt), || vec![stmt.clone(), stmt.clone()])
    }),
    Mutation::of_data("not counted", |_, stmt| once(is_combination(stmt), Vec::new)),
    Mutation::of_data("store dropped", |_, stmt| {
        once(matches!(stmt, Stmt::Store(..) | Stmt::Send(..)), Vec::new)
    }),
];

fn each(stmts: Vec<Stmt>) -> Vec<Vec<Stmt>> {
    stmts.into_iter().map(|stmt| vec![stmt]).collect()
}

fn is_combination(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Set(_, Expr::Combine(..)) | Stmt::AtomicCombine { .. } | Stmt::Redux(..))
}

/// Replaces the test of the loop.
fn loops(stmt: &Stmt, rewrite: &dyn Fn(&Expr) -> Vec<Expr>) -> Vec<Vec<Stmt>> {
    let Stmt::For(it) = stmt else { return Vec::new() };
    let with = |test| vec![Stmt::For(Box::new(Loop { test, ..*it.clone() }))];
    parts(&it.test, rewrite).into_iter().map(with).collect()
}

/// Continues the loop if its counter has reached the end. Loops that only read items behind guards are left out: one more
/// iteration finds none.
fn one_iteration_more(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let Stmt::For(it) = stmt else { return Vec::new() };
    let only_reads = it.body.iter().all(|stmt| matches!(stmt, Stmt::Let(..) | Stmt::If(..)));
    if only_reads { Vec::new() } else { loops(stmt, &at_most) }
}

/// Ends the loop one iteration early.
fn one_iteration_less(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let Stmt::For(it) = stmt else { return Vec::new() };
    let next = |expr: &Expr| if *expr == it.local.get() { vec![it.next.clone()] } else { Vec::new() };
    loops(stmt, &next)
}

/// Replaces the test of the branch.
pub(super) fn guards(stmt: &Stmt, rewrite: &dyn Fn(&Expr) -> Vec<Expr>) -> Vec<Vec<Stmt>> {
    let all = |test, with: &dyn Fn(Expr) -> Stmt| {
        parts(test, rewrite).into_iter().map(|it| vec![with(it)]).collect()
    };
    match stmt {
        Stmt::If(test, then, otherwise) => all(test, &|test| Stmt::If(test, then.clone(), otherwise.clone())),
        Stmt::Redux(acc, Some(there)) => all(there, &|there| Stmt::Redux(acc.clone(), Some(there))),
        _ => Vec::new(),
    }
}

/// Replaces `a < b` by `a <= b`.
fn at_most(expr: &Expr) -> Vec<Expr> {
    if let Expr::Cmp(Cmp::Lt, a, b) = expr {
        vec![Expr::Cmp(Cmp::Le, a.clone(), b.clone())]
    } else {
        Vec::new()
    }
}

/// Replaces `a <= b` by `a < b`.
fn strictly_below(expr: &Expr) -> Vec<Expr> {
    if let Expr::Cmp(Cmp::Le, a, b) = expr {
        vec![Expr::Cmp(Cmp::Lt, a.clone(), b.clone())]
    } else {
        Vec::new()
    }
}

/// Replaces `a < b` by `a + 1 < b`.
fn below_less_one(expr: &Expr) -> Vec<Expr> {
    let Expr::Cmp(Cmp::Lt, a, b) = expr else { return Vec::new() };
    vec![after(a).below(b.as_ref().clone())]
}

/// Selects thread, lane or number 1 in place of 0. The thread that reads the result of a looping tree is not changed: after
/// the last barrier of the tree, any thread may read it.
fn another_thread(subject: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let ends_with_a_barrier = |stmt: &Stmt| {
        if let Stmt::For(it) = stmt { it.body.contains(&Stmt::Barrier(Barrier::Block)) } else { false }
    };
    let anyone = subject.kernel.body.iter().any(ends_with_a_barrier);
    each(with_expressions(stmt, &|expr| match expr {
        Expr::Cmp(Cmp::Eq, a, b) if **b == Expr::from(0) && !(anyone && **a == Expr::Thread) => {
            vec![a.as_ref().clone().equals(1)]
        }
        _ => Vec::new(),
    }))
}

fn after(position: &Expr) -> Expr {
    let one = if position.ty() == Some(Ty::U64) { Value::of(1u64) } else { Value::of(1u32) };
    position.clone().bin(Bin::Add, Expr::Const(one))
}

/// Returns the arguments of a function with the next index in the tile.
fn one_off(args: &[Expr]) -> Vec<Vec<Expr>> {
    let index = args.iter().position(|arg| arg.ty() == Some(Ty::U32));
    let next = |at: usize| {
        args.iter().enumerate().map(move |(k, arg)| if k == at { after(arg) } else { arg.clone() })
    };
    index.map(|at| next(at).collect()).into_iter().collect()
}

fn shifted(place: &Place) -> Place {
    Place { index: after(&place.index), ..place.clone() }
}

/// Sends to the next block's memory, or to the block's own.
fn other_rank(_: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let Stmt::Send(place @ Place { rank: Some(rank), .. }, value) = stmt else { return Vec::new() };
    let to = |rank| vec![Stmt::Send(Place { rank, ..place.clone() }, value.clone())];
    vec![to(Some(Box::new(after(rank)))), to(None)]
}

fn counts_blocks(expr: &Expr) -> bool {
    *expr == Expr::Grid || expr.operands().into_iter().any(counts_blocks)
}

/// Reverses a loop over strides.
fn reversed(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let Stmt::For(it) = stmt else { return Vec::new() };
    let stride = || it.local.get();
    let (from, test, next) = match (&it.test, &it.next) {
        (Expr::Cmp(Cmp::Lt, least, _), Expr::Bin(Bin::Div, ..)) => {
            let least = if **least == Expr::from(0) { 1.into() } else { least.as_ref().clone().times(2) };
            let test = Expr::Cmp(Cmp::Le, Box::new(stride()), Box::new(it.from.clone()));
            (least, test, stride().times(2))
        }
        (Expr::Cmp(Cmp::Lt, _, end), Expr::Bin(Bin::Mul, ..)) => {
            (end.as_ref().clone().over(2), Expr::from(0).below(stride()), stride().over(2))
        }
        _ => return Vec::new(),
    };
    vec![vec![Stmt::For(Box::new(Loop { from, test, next, ..*it.clone() }))]]
}

/// Removes the reads of a partial tile, or of a full tile.
fn tail_skipped(_: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let Stmt::If(test, then, otherwise) = stmt else { return Vec::new() };
    let reads = |stmts: &[Stmt]| stmts.iter().any(reads_items);
    match (reads(then), reads(otherwise)) {
        (true, true) => vec![
            vec![Stmt::If(test.clone(), then.clone(), Vec::new())],
            vec![Stmt::If(test.clone(), Vec::new(), otherwise.clone())],
        ],
        (true, false) => vec![Vec::new()],
        (false, _) => Vec::new(),
    }
}

fn reads_items(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Load(_, place) | Stmt::LoadUnaligned(_, place) => {
            matches!(place.buffer, Buffer::Input(_) | Buffer::Items)
        }
        Stmt::For(it) => it.body.iter().any(reads_items),
        Stmt::If(_, then, otherwise) => then.iter().chain(otherwise).any(reads_items),
        _ => false,
    }
}

/// Computes a sum, difference or product of 64 bits in 32 bits.
fn narrow_positions(subject: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    // Only lowered programs have a verifier that would refuse this.
    if subject.program.is_none() {
        return Vec::new();
    }
    each(with_expressions(stmt, &|expr| match expr {
        Expr::Bin(op @ (Bin::Add | Bin::Sub | Bin::Mul), a, b) if expr.ty() == Some(Ty::U64) => {
            let truncated = expr.clone().cast(Scalar::U32).cast(Scalar::U64);
            let product = match (a.as_ref(), b.as_ref()) {
                (Expr::Cast(_, a), Expr::Cast(_, b)) => {
                    Some(a.as_ref().clone().bin(*op, b.as_ref().clone()).cast(Scalar::U64))
                }
                _ => None,
            };
            [truncated].into_iter().chain(product).collect()
        }
        _ => Vec::new(),
    }))
}

/// Replaces the fill by an item.
fn fill_wrong(subject: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let (Stmt::Var(local, Expr::Empty) | Stmt::Set(local, Expr::Empty)) = stmt else { return Vec::new() };
    // Without fill, the value of an absent item is not combined.
    if subject.operation.fill.is_none() {
        return Vec::new();
    }
    let is_new = matches!(stmt, Stmt::Var(..));
    let item = |value| if is_new { Stmt::Var(local.clone(), value) } else { Stmt::Set(local.clone(), value) };
    let first = || Expr::Const(Value::of(0u64));
    if subject.kernel.reads == Reads::Partials {
        let held = Local::new(format!("{}_wrong", local.name), Ty::Acc);
        let load = Stmt::Load(held.clone(), Buffer::Items.at(first()));
        return vec![vec![load, item(held.get())]];
    }
    let inputs = || subject.operation.inputs.iter().enumerate();
    let element = |(k, input): (usize, &reduce_ir::func::Param)| {
        (k, Local::new(format!("{}_wrong_{}", input.name, local.name), Ty::Scalar(input.ty)))
    };
    let loads = inputs().map(element).map(|(k, it)| Stmt::Load(it, Buffer::Input(k).at(first())));
    let args = inputs().map(element).map(|(_, it)| it.get());
    let position = subject.operation.is_indexed().then(first);
    let mapped = Expr::Map(args.chain(position).collect());
    vec![loads.chain([item(mapped)]).collect()]
}
