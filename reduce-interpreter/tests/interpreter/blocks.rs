//! Clusters: blocks that access each other's shared memory while both run.

use super::support::*;
use reduce_interpreter::{Kind, Schedule};
use reduce_ir::ops::Bin;
use reduce_ir::statements::{Barrier, Buffer, Expr, LoweredKernel, Place, Stmt};

const MEET: Stmt = Stmt::Barrier(Barrier::Cluster);

/// The first element of another block's shared array.
fn theirs(rank: Expr) -> Place {
    Place { rank: Some(Box::new(rank)), ..Buffer::Shared("s").at(Expr::from(0)) }
}

fn next() -> Expr {
    Expr::Rank.plus(1).bin(Bin::Rem, 2)
}

/// A kernel with clusters of two blocks: each writes an element, and reads the other's.
fn exchange(before: &[Stmt], after: &[Stmt], rank: Expr) -> LoweredKernel {
    let lane_0 = || Expr::Thread.equals(0);
    let mut write = take("mine", Expr::Block);
    write.push(Stmt::Store(s(0), acc("mine").get()));
    let mut body = vec![when(lane_0(), write)];
    body.extend_from_slice(before);
    let read = Stmt::Load(acc("other"), theirs(rank));
    let deliver = when(Expr::Block.equals(2), [finish(&acc("other"))]);
    body.push(when(lane_0(), [read, deliver]));
    body.extend_from_slice(after);
    LoweredKernel { cluster: 2, ..kernel(body) }
}

#[test]
fn blocks_of_a_cluster_exchange_between_two_barriers() {
    let it = exchange(&[MEET], &[MEET], next());
    clean(&it, 4);
    for schedule in Schedule::all(4) {
        assert_eq!(run(&it, 4, schedule).result.as_deref(), Some("3"), "{schedule:?}");
    }
}

#[test]
fn without_the_first_barrier_they_race() {
    wrong(&exchange(&[], &[MEET], next()), 4, Kind::Race);
    wrong(&exchange(&[BARRIER], &[MEET], next()), 4, Kind::Race);
}

/// Every schedule reports this, also those in which the other block still runs.
#[test]
fn without_the_second_one_a_block_may_have_exited() {
    wrong(&exchange(&[MEET], &[], next()), 4, Kind::OutOfBounds);
}

/// A kernel with clusters of two blocks: each writes an element into the other's memory, and reads its own.
fn push(before: &[Stmt]) -> LoweredKernel {
    let lane_0 = || Expr::Thread.equals(0);
    let mut write = take("mine", Expr::Block);
    write.push(Stmt::Store(theirs(next()), acc("mine").get()));
    let deliver = when(Expr::Block.equals(2), [finish(&acc("other"))]);
    let read = when(lane_0(), [Stmt::Load(acc("other"), s(0)), deliver]);
    let rest = [when(lane_0(), write), MEET, read];
    LoweredKernel { cluster: 2, ..kernel(before.iter().cloned().chain(rest).collect()) }
}

/// Every schedule reports this, also those in which the other block has already started.
#[test]
fn before_the_first_barrier_a_block_may_not_have_started() {
    clean(&push(&[MEET]), 4);
    wrong(&push(&[]), 4, Kind::OutOfBounds);
    wrong(&push(&[BARRIER]), 4, Kind::OutOfBounds);
    let own = exchange(&[], &[], Expr::Rank);
    clean(&own, 4);
}

#[test]
fn a_rank_beyond_the_cluster_is_out_of_bounds() {
    wrong(&exchange(&[MEET], &[MEET], 2.into()), 4, Kind::OutOfBounds);
}

#[test]
fn every_block_of_a_cluster_must_reach_its_barrier() {
    let some = when(Expr::Rank.equals(0), [MEET]);
    wrong(&LoweredKernel { cluster: 2, ..kernel(vec![some]) }, 4, Kind::Divergence);
}

/// A thread that arrives twice does not arrive for another thread.
#[test]
fn every_thread_arrives_once_before_it_waits() {
    let cluster = |body| LoweredKernel { cluster: 2, ..kernel(body) };
    let half = |body| when(Expr::Thread.below(16), body);
    clean(&cluster(vec![Stmt::Arrive, Stmt::Wait, Stmt::Arrive, Stmt::Wait]), 4);
    wrong(&cluster(vec![half(vec![Stmt::Arrive]), Stmt::Wait]), 4, Kind::Divergence);
    wrong(&cluster(vec![half(vec![Stmt::Arrive, Stmt::Arrive]), Stmt::Wait]), 4, Kind::Divergence);
    wrong(&cluster(vec![Stmt::Arrive, Stmt::Arrive, Stmt::Wait]), 4, Kind::Divergence);
}

#[test]
fn schedules_try_every_block_as_the_last() {
    for grid in [1, 2, 5, 8, 100] {
        let schedules = Schedule::all(grid);
        assert!(schedules.len() >= 8);
        let late: Vec<_> = schedules.iter().filter_map(|it| it.last).collect();
        match grid {
            1 => assert_eq!(late, []),
            2..=8 => assert_eq!(late, (0..grid).collect::<Vec<_>>()),
            _ => assert_eq!(late, [0, 50, 99]),
        }
    }
}
