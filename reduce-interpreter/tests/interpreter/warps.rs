//! Lanes of a warp: they meet at barriers and shuffles, and nowhere else.

use super::support::*;
use reduce_interpreter::{Kind, Schedule};
use reduce_ir::ops::Bin;
use reduce_ir::program::Scope;
use reduce_ir::statements::{
    AtomicOp, Barrier, Buffer, Expr, FULL, Local, Loop, MemoryOrder, Place, Stmt, Ty, Unroll,
};

fn shuffle(down: impl Into<Expr>, mask: u32) -> Stmt {
    Stmt::Shuffle { into: acc("other"), value: acc("mine").get(), down: down.into(), mask }
}

/// Binds the thread's own element to `mine`, then continues with `rest`.
fn after_mine(rest: impl IntoIterator<Item = Stmt>) -> Vec<Stmt> {
    let mut body = take("mine", Expr::Thread);
    body.extend(rest);
    body
}

#[test]
fn a_shuffle_gives_the_lane_further_up_or_its_own() {
    for (lane, wanted) in [(0, "16"), (15, "31"), (16, "16"), (31, "31")] {
        let store = when(Expr::Thread.equals(lane), [finish(&acc("other"))]);
        let it = kernel(after_mine([shuffle(16, FULL), store]));
        clean(&it, 1);
        assert_eq!(run(&it, 1, Schedule::FORWARD).result.as_deref(), Some(wanted));
    }
}

#[test]
fn a_shuffle_of_half_a_warp_is_clean_within_its_mask() {
    let half = |down: u32| after_mine([when(Expr::Thread.below(16), [shuffle(down, 0xffff)])]);
    clean(&kernel(half(0)), 1);
    wrong(&kernel(half(8)), 1, Kind::Shuffle);
    // The shuffle stays wrong if only lanes whose source lies within the mask use its result.
    let quarter = when(Expr::Thread.below(8), [Stmt::Let(acc("used"), acc("other").get())]);
    let body = after_mine([when(Expr::Thread.below(16), [shuffle(8, 0xffff), quarter])]);
    wrong(&kernel(body), 1, Kind::Shuffle);
}

#[test]
fn a_lane_must_be_in_its_own_mask() {
    wrong(&kernel(after_mine([shuffle(0, 0xffff)])), 1, Kind::Shuffle);
    wrong(&kernel(vec![Stmt::Barrier(Barrier::Warp(0xffff))]), 1, Kind::Divergence);
}

#[test]
fn a_mask_must_not_name_lanes_that_have_exited() {
    let leave = || when(Expr::from(15).below(Expr::Thread), [Stmt::Exit]);
    wrong(&kernel(after_mine([leave(), shuffle(1, FULL)])), 1, Kind::Shuffle);
    wrong(&kernel(vec![leave(), Stmt::Barrier(Barrier::WARP)]), 1, Kind::Divergence);
    clean(&kernel(after_mine([leave(), shuffle(0, 0xffff), Stmt::Barrier(Barrier::Warp(0xffff))])), 1);
}

#[test]
fn lanes_that_meet_at_different_statements_wait_for_ever() {
    let [one, other] = ["one", "other"].map(|name| Stmt::Shuffle {
        into: acc(name),
        value: acc("mine").get(),
        down: 1.into(),
        mask: FULL,
    });
    let split = Stmt::If(Expr::Thread.below(16), vec![one], vec![other]);
    let it = kernel(after_mine([split]));
    wrong(&it, 1, Kind::Deadlock);
    let report = &run(&it, 1, Schedule::FORWARD).reports[0];
    assert_eq!(report.threads.len(), 16);
    assert!(report.to_string().contains("others wait at `shuffle other"), "{report}");
}

#[test]
fn a_block_barrier_needs_every_thread_at_the_same_statement() {
    let some = when(Expr::Thread.below(40), [BARRIER]);
    wrong(&wide(64, vec![some]), 1, Kind::Divergence);
    let two = Stmt::If(Expr::Thread.below(32), vec![BARRIER], vec![BARRIER]);
    wrong(&wide(64, vec![two]), 1, Kind::Divergence);
    let leave = when(Expr::Thread.equals(63), [Stmt::Exit]);
    wrong(&wide(64, vec![leave, BARRIER]), 1, Kind::Divergence);
    let together = Stmt::when(Expr::Block.equals(0), vec![BARRIER]);
    clean(&wide(64, vec![together]), 2);
}

#[test]
fn a_warp_that_waits_at_a_shuffle_for_one_at_a_barrier_is_a_deadlock() {
    let split = Stmt::If(Expr::Thread.below(16), vec![shuffle(1, FULL)], vec![BARRIER]);
    wrong(&kernel(after_mine([split])), 1, Kind::Deadlock);
}

/// Lanes leave a loop after different numbers of turns, and meet at the shuffle after it.
#[test]
fn lanes_meet_again_at_the_shuffle_behind_a_divergent_loop() {
    let turn = Local::new("turn", Ty::U32);
    let body = vec![Stmt::Set(acc("sum"), acc("sum").get().combine(acc("mine").get()))];
    let turns = Stmt::For(Box::new(Loop {
        from: 0.into(),
        test: turn.get().below(Expr::Thread.bin(Bin::Rem, 3)),
        next: turn.get().plus(1),
        unroll: Unroll::Unsaid,
        body,
        local: turn,
    }));
    let gather = Stmt::Shuffle { into: acc("other"), value: acc("sum").get(), down: 1.into(), mask: FULL };
    let store = when(Expr::Thread.equals(0), [finish(&acc("other"))]);
    let it = kernel(after_mine([Stmt::Var(acc("sum"), acc("mine").get()), turns, gather, store]));
    clean(&it, 1);
    for schedule in Schedule::all(1) {
        assert_eq!(run(&it, 1, schedule).result.as_deref(), Some("(1 1)"), "{schedule:?}");
    }
}

#[test]
fn a_loop_that_never_ends_is_reported() {
    let turn = Local::new("turn", Ty::U32);
    let forever = Loop {
        from: 0.into(),
        test: turn.get().below(1),
        next: turn.get(),
        unroll: Unroll::Unsaid,
        body: vec![],
        local: turn,
    };
    let it = kernel(vec![Stmt::For(Box::new(forever))]);
    assert_eq!(kinds(&it, 1, Schedule::FORWARD), [Kind::Deadlock]);
}

fn ticket() -> Place {
    Buffer::Ticket.at(wide_literal(0))
}

/// Reads the ticket with an acquire until it is not 0, then reads the partial.
fn spin() -> Vec<Stmt> {
    let (turn, found, now) =
        (Local::new("turn", Ty::U32), Local::new("found", Ty::U32), Local::new("now", Ty::U32));
    let look = Stmt::Atomic {
        into: now.clone(),
        op: AtomicOp::Add,
        place: ticket(),
        value: 0.into(),
        order: MemoryOrder::Acquire,
        scope: Scope::Grid,
    };
    let turns = Loop {
        from: 0.into(),
        test: found.get().equals(0),
        next: turn.get(),
        unroll: Unroll::Unsaid,
        body: vec![look, Stmt::Set(found.clone(), now.get())],
        local: turn,
    };
    let load = Stmt::Load(acc("other"), partial(0.into()));
    vec![Stmt::Var(found, 0.into()), Stmt::For(Box::new(turns)), load, finish(&acc("other"))]
}

/// Writes a partial, and releases it to the spinning thread.
fn release() -> Vec<Stmt> {
    let mut body = take("mine", Expr::Thread);
    body.push(Stmt::Store(partial(0.into()), acc("mine").get()));
    body.push(Stmt::Atomic {
        into: Local::new("old", Ty::U32),
        op: AtomicOp::Add,
        place: ticket(),
        value: 1.into(),
        order: MemoryOrder::Release,
        scope: Scope::Grid,
    });
    body
}

/// Threads of a warp are scheduled independently: a waiting thread gets the value of another one, on either side of
/// a branch.
#[test]
fn a_lane_may_spin_until_another_of_its_warp_releases() {
    let split = |then, otherwise| kernel(vec![Stmt::If(Expr::Thread.equals(0), then, otherwise)]);
    let other = |body| vec![when(Expr::Thread.equals(1), body)];
    let [before, behind] = [split(spin(), other(release())), split(release(), other(spin()))];
    for (it, released) in [(before, "1"), (behind, "0")] {
        clean(&it, 1);
        for schedule in Schedule::all(1) {
            assert_eq!(run(&it, 1, schedule).result.as_deref(), Some(released), "{schedule:?}");
        }
    }
    wrong(&split(spin(), Vec::new()), 1, Kind::Deadlock);
}
