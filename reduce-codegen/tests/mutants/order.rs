//! Mutations of the ordering between threads: barriers, votes, masks, fences, atomics and tickets.

use super::catalogue::{Mutation, once};
use super::kernels::Subject;
use reduce_ir::Value;
use reduce_ir::ops::Bin;
use reduce_ir::program::Scope;
use reduce_ir::statements::{AtomicOp, Barrier, Buffer, Expr, FULL, Local, MemoryOrder, Place, Stmt, Ty};

/// The lower half of a warp.
const HALF: u32 = FULL >> 16;

pub(crate) const MUTATIONS: [Mutation; 26] = [
    Mutation::of_order("block barrier deleted", |_, stmt| {
        once(*stmt == Stmt::Barrier(Barrier::Block), Vec::new)
    }),
    Mutation::of_order("warp barrier deleted", |_, stmt| {
        once(matches!(stmt, Stmt::Barrier(Barrier::Warp(_))), Vec::new)
    }),
    Mutation::of_order("arrival deleted", |_, stmt| once(*stmt == Stmt::Arrive, Vec::new)),
    Mutation::of_order("wait deleted", |_, stmt| once(*stmt == Stmt::Wait, Vec::new)),
    Mutation::of_order("launch before not awaited", |_, stmt| once(*stmt == Stmt::AwaitLaunch, Vec::new)),
    Mutation::of_order("arrival and wait exchanged", |_, stmt| {
        let arrives = once(*stmt == Stmt::Arrive, || vec![Stmt::Wait]);
        [arrives, once(*stmt == Stmt::Wait, || vec![Stmt::Arrive])].concat()
    }),
    Mutation::of_order("vote of one thread", |_, stmt| match stmt {
        Stmt::Vote(local, value) => vec![vec![Stmt::Let(local.clone(), value.clone())]],
        _ => Vec::new(),
    }),
    Mutation::of_order("vote without a question", |_, stmt| match stmt {
        Stmt::Vote(local, _) => {
            let always = |answer: bool| vec![Stmt::Let(local.clone(), Expr::Const(Value::of(answer)))];
            vec![always(true), always(false)]
        }
        _ => Vec::new(),
    }),
    Mutation::of_order("barrier in a divergent branch", |_, stmt| {
        once(is_barrier(stmt), || vec![Stmt::when(Expr::Thread.equals(0), vec![stmt.clone()])])
    }),
    Mutation::of_order("exit before a barrier", |_, stmt| {
        let one = Expr::Thread.equals(31);
        once(is_barrier(stmt), || vec![Stmt::when(one, vec![Stmt::Exit]), stmt.clone()])
    }),
    Mutation::of_order("mask of a warp barrier wrong", |_, stmt| {
        once(matches!(stmt, Stmt::Barrier(Barrier::Warp(_))), || vec![Stmt::Barrier(Barrier::Warp(HALF))])
    }),
    Mutation::of_order("mask of a shuffle wrong", shuffle_mask),
    Mutation::of_order("fence dropped", |_, stmt| once(matches!(stmt, Stmt::Fence(..)), Vec::new)),
    Mutation::of_order("scope narrowed", narrower),
    Mutation::of_order("order weakened", weaker),
    Mutation::of_order("atomic made plain", plain),
    Mutation::of_order("partial without its flag", |_, stmt| match stmt {
        Stmt::Post(place, value) => vec![vec![Stmt::Store(place.clone(), value.clone())]],
        Stmt::Take(local, place) => vec![vec![Stmt::Load(local.clone(), place.clone())]],
        _ => Vec::new(),
    }),
    Mutation::of_order("partial with a flag not left", |_, stmt| {
        once(matches!(stmt, Stmt::Post(..)), Vec::new)
    }),
    Mutation::of_order("messages not expected", |_, stmt| once(matches!(stmt, Stmt::Expect(..)), Vec::new)),
    Mutation::of_order("messages expected by all threads", |_, stmt| {
        let Stmt::If(_, then, otherwise) = stmt else { return Vec::new() };
        let expects = |stmt: &Stmt| matches!(stmt, Stmt::Expect(..));
        once(then.iter().any(expects) && otherwise.is_empty(), || then.clone())
    }),
    Mutation::of_order("one message more or less expected", |_, stmt| {
        let Stmt::Expect(array, messages) = stmt else { return Vec::new() };
        let counts = [messages.clone().plus(1), messages.clone().bin(Bin::Sub, 1)];
        counts.map(|messages| vec![Stmt::Expect(array, messages)]).to_vec()
    }),
    Mutation::of_order("messages not received", |_, stmt| once(matches!(stmt, Stmt::Receive(_)), Vec::new)),
    Mutation::of_order("message stored", |_, stmt| match stmt {
        Stmt::Send(place, value) => vec![vec![Stmt::Store(place.clone(), value.clone())]],
        _ => Vec::new(),
    }),
    Mutation::of_order("ticket not reset", |_, stmt| {
        let stores = matches!(stmt, Stmt::Store(place, value) if is_reset(place, value));
        let deleted = once(stores || matches!(stmt, Stmt::Atomic { op: AtomicOp::Exchange, .. }), Vec::new);
        let mut counts = stmt.clone();
        let Stmt::Atomic { op: op @ AtomicOp::Increment, value, .. } = &mut counts else { return deleted };
        (*op, *value) = (AtomicOp::Add, 1.into());
        vec![vec![counts]]
    }),
    Mutation::of_order("partial left after the ticket", left_late),
    Mutation::of_order("ticket of one thread taken by all", |_, stmt| {
        let Stmt::If(_, then, otherwise) = stmt else { return Vec::new() };
        once(then.iter().any(takes) && otherwise.is_empty(), || then.clone())
    }),
];

fn is_barrier(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Barrier(_))
}

fn takes(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Atomic { op: AtomicOp::Add | AtomicOp::Increment, .. })
}

fn is_reset(place: &Place, value: &Expr) -> bool {
    place.buffer == Buffer::Ticket && *value == Expr::from(0)
}

/// Takes the ticket before the partial is written.
fn left_late(_: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let Stmt::If(test, then, otherwise) = stmt else { return Vec::new() };
    let leaves = |stmt: &Stmt| matches!(stmt, Stmt::Store(place, _) if place.buffer == Buffer::Partials);
    let (Some(left), Some(taken)) = (then.iter().position(leaves), then.iter().position(takes)) else {
        return Vec::new();
    };
    let mut late = then.clone();
    late.swap(left, taken);
    vec![vec![Stmt::If(test.clone(), late, otherwise.clone())]]
}

fn shuffle_mask(_: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let Stmt::Shuffle { into, value, down, .. } = stmt else { return Vec::new() };
    let with = |mask| {
        let (into, value, down) = (into.clone(), value.clone(), down.clone());
        vec![Stmt::Shuffle { into, value, down, mask }]
    };
    [HALF, !HALF, FULL - 1].map(with).to_vec()
}

fn narrower(_: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let narrowed = |to: Scope| {
        let mut narrow = stmt.clone();
        match &mut narrow {
            Stmt::Fence(_, scope) | Stmt::Atomic { scope, .. } | Stmt::AtomicCombine { scope, .. } => {
                (to < std::mem::replace(scope, to)).then(|| vec![narrow])
            }
            _ => None,
        }
    };
    [Scope::Block, Scope::Cluster].into_iter().filter_map(narrowed).collect()
}

fn weaker(_: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let orders = |order: &MemoryOrder| match order {
        MemoryOrder::AcqRel => vec![MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::Relaxed],
        MemoryOrder::Acquire | MemoryOrder::Release => vec![MemoryOrder::Relaxed],
        MemoryOrder::Relaxed => Vec::new(),
    };
    match stmt {
        Stmt::Fence(order, scope) => {
            orders(order).into_iter().map(|order| vec![Stmt::Fence(order, *scope)]).collect()
        }
        Stmt::Atomic { into, op, place, value, order, scope } => {
            let with = |order| {
                let (into, place, value) = (into.clone(), place.clone(), value.clone());
                vec![Stmt::Atomic { into, op: *op, place, value, order, scope: *scope }]
            };
            orders(order).into_iter().map(with).collect()
        }
        _ => Vec::new(),
    }
}

/// Replaces an atomic by a load and a store.
fn plain(_: &Subject, stmt: &Stmt) -> Vec<Vec<Stmt>> {
    match stmt {
        Stmt::Atomic { into, op, place, value, .. } => {
            let after = match op {
                AtomicOp::Add => into.get().plus(value.clone()),
                AtomicOp::Exchange => value.clone(),
                // An increment without its wrap-around suffices: other blocks come between load and store.
                AtomicOp::Increment => into.get().plus(1),
            };
            vec![vec![Stmt::Load(into.clone(), place.clone()), Stmt::Store(place.clone(), after)]]
        }
        Stmt::AtomicCombine { place, value, .. } => {
            let held = Local::new("held", Ty::Acc);
            let store = Stmt::Store(place.clone(), held.get().combine(value.clone()));
            vec![vec![Stmt::Load(held, place.clone()), store]]
        }
        _ => Vec::new(),
    }
}
