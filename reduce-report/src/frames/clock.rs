//! The time of each step. The interpreter runs one warp after the other; a GPU runs them at once. So each warp counts its own
//! steps, and a barrier of the block brings their counts together.

use reduce_interpreter::Event;
use reduce_ir::statements::{Barrier, Stmt};
use std::collections::HashMap;

/// The clocks of the warps of a launch, by block.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    warps: HashMap<(u64, u32), Warp>,
    /// The time of each barrier: that of the last warp that arrives.
    barriers: HashMap<(u64, usize), u32>,
}

#[derive(Debug, Default)]
struct Warp {
    now: u32,
    /// The number of barriers that all of its lanes have reached.
    reached: usize,
    /// The lanes that wait at the next barrier.
    waiting: u32,
    /// Whether it continues after a barrier.
    resumes: bool,
}

impl Clocks {
    /// Returns the time of an event, from 1.
    pub(super) fn time(&mut self, event: &Event<'_>) -> u32 {
        let warp = self.warps.entry((event.block, event.warp)).or_default();
        warp.now += 1;
        if std::mem::take(&mut warp.resumes) {
            let barrier = self.barriers.get(&(event.block, warp.reached)).copied().unwrap_or(0);
            warp.now = warp.now.max(barrier + 1);
        }
        if is_barrier(event.statement) {
            warp.waiting |= event.lanes;
            let time = self.barriers.entry((event.block, warp.reached + 1)).or_default();
            *time = warp.now.max(*time);
            if warp.waiting | event.ended == u32::MAX {
                (warp.waiting, warp.resumes) = (0, true);
                warp.reached += 1;
            }
        }
        warp.now
    }
}

fn is_barrier(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::Barrier(Barrier::Block | Barrier::Cluster) | Stmt::Vote(..) | Stmt::Prefix { .. } | Stmt::Wait
    )
}
