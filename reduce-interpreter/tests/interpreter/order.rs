//! Which statements order accesses to memory, and which do not.

use super::support::*;
use reduce_interpreter::{Kind, Schedule};
use reduce_ir::ops::Bin;
use reduce_ir::statements::{Barrier, Expr, FULL, Stmt};

/// Each thread writes its own element, executes `between`, then reads its neighbour's element.
fn neighbours(block: u32, between: Vec<Stmt>) -> Vec<Stmt> {
    let mut body = take("mine", Expr::Thread);
    body.push(Stmt::Store(s(Expr::Thread), acc("mine").get()));
    body.extend(between);
    let next = Expr::Thread.plus(1).bin(Bin::Rem, block);
    body.push(Stmt::Load(acc("other"), s(next)));
    body
}

#[test]
fn a_block_barrier_orders_its_threads_and_nothing_else_does() {
    clean(&wide(64, neighbours(64, vec![BARRIER])), 1);
    wrong(&wide(64, neighbours(64, vec![])), 1, Kind::Race);
    // A warp barrier does not order the last lane of a warp and the first lane of the next.
    wrong(&wide(64, neighbours(64, vec![Stmt::Barrier(Barrier::WARP)])), 1, Kind::Race);
}

#[test]
fn lanes_that_execute_together_are_not_ordered() {
    wrong(&kernel(neighbours(32, vec![])), 1, Kind::Race);
    clean(&kernel(neighbours(32, vec![Stmt::Barrier(Barrier::WARP)])), 1);
}

#[test]
fn a_shuffle_orders_nothing() {
    let shuffle = Stmt::Shuffle { into: acc("far"), value: acc("mine").get(), down: 1.into(), mask: FULL };
    wrong(&kernel(neighbours(32, vec![shuffle])), 1, Kind::Race);
}

#[test]
fn a_warp_barrier_orders_the_lanes_of_its_mask_only() {
    let half = Stmt::Barrier(Barrier::Warp(0xffff));
    let body = |readers: u32| {
        let mut body = take("mine", Expr::Thread);
        body.push(Stmt::Store(s(Expr::Thread), acc("mine").get()));
        body.push(when(Expr::Thread.below(16), [half.clone()]));
        let next = Expr::Thread.plus(1);
        body.push(when(Expr::Thread.below(readers), [Stmt::Load(acc("other"), s(next))]));
        body
    };
    clean(&kernel(body(15)), 1);
    wrong(&kernel(body(16)), 1, Kind::Race);
}

#[test]
fn writes_of_the_same_value_race() {
    wrong(&kernel(vec![Stmt::Store(s(0), Expr::Empty)]), 1, Kind::Race);
    clean(&kernel(vec![when(Expr::Thread.equals(0), [Stmt::Store(s(0), Expr::Empty)])]), 1);
}

/// The tail of a tree that relies on lock-step: the reads and writes of one step are not ordered.
#[test]
fn a_warp_synchronous_tail_races() {
    let step = |stride: u32, between: &[Stmt]| {
        let [left, right] = ["left", "right"].map(|side| acc(&format!("{side}{stride}")));
        let sum = left.get().combine(right.get());
        let mut body =
            vec![Stmt::Load(left, s(Expr::Thread)), Stmt::Load(right, s(Expr::Thread.plus(stride)))];
        body.extend_from_slice(between);
        body.push(Stmt::Store(s(Expr::Thread), sum));
        body.extend_from_slice(between);
        body
    };
    let body = |between: &[Stmt]| {
        let mut body = take("mine", Expr::Thread);
        body.push(Stmt::Store(s(Expr::Thread), acc("mine").get()));
        body.push(Stmt::Store(s(Expr::Thread.plus(32)), Expr::Empty));
        body.extend_from_slice(between);
        body.extend(step(16, between).into_iter().chain(step(8, between)));
        body
    };
    clean(&kernel(body(&[Stmt::Barrier(Barrier::WARP)])), 1);
    wrong(&kernel(body(&[])), 1, Kind::Race);
}

#[test]
fn blocks_are_not_ordered_by_running_one_after_the_other() {
    let write = |index: Expr| {
        let mut body = take("mine", Expr::Block);
        body.push(Stmt::Store(partial(index), acc("mine").get()));
        kernel(vec![when(Expr::Thread.equals(0), body)])
    };
    clean(&write(Expr::Block), 4);
    wrong(&write(Expr::from(0)), 4, Kind::Race);
    let found = run(&write(Expr::from(0)), 4, Schedule::FORWARD);
    assert_eq!(
        found.reports[0].to_string(),
        "`store partials[u64(0)] = mine` races in kernel: thread 0 of block 1 writes the place that \
         thread 0 of block 0 wrote in `store partials[u64(0)] = mine`, and no synchronisation orders the accesses"
    );
}

/// A read that is not ordered after a write returns the previous value.
#[test]
fn what_a_race_reads_is_old() {
    let body = |barrier: bool| {
        let fill = [Stmt::Store(s(0), Expr::Empty)];
        let mut write = take("mine", Expr::from(7));
        write.push(Stmt::Store(s(0), acc("mine").get()));
        let mut body = vec![when(Expr::Thread.equals(0), fill), BARRIER, when(Expr::Thread.equals(0), write)];
        body.extend(barrier.then_some(BARRIER));
        body.push(when(Expr::Thread.equals(32), [Stmt::Load(acc("seen"), s(0)), finish(&acc("seen"))]));
        wide(64, body)
    };
    let result = |barrier| run(&body(barrier), 1, Schedule::FORWARD).result;
    assert_eq!(result(true).as_deref(), Some("7"));
    assert_eq!(result(false).as_deref(), Some("empty"));
}
