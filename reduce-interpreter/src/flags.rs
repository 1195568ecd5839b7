//! Accumulators with flags: one block posts them, and another one waits until they are there. Posting, checking and
//! taking are relaxed atomic steps, which order no other accesses.

use super::block::Cluster;
use super::count::Direction;
use super::domain::Acc;
use super::execute::Here;
use super::expr::AccExpr;
use super::machine::Machine;
use super::op::At;
use super::report::Kind;
use super::warp::{PerLane, WIDTH, each, mask};
use reduce_ir::program::Scope;
use reduce_ir::statements::MemoryOrder;

impl Machine<'_, '_> {
    /// Posts an accumulator to a place that must be empty.
    pub(super) fn post(&mut self, cluster: &mut Cluster, here: Here, at: &At, value: &AccExpr) {
        let value = self.checked_acc(cluster, here, value);
        self.count_flagged(cluster, here, at, &[Direction::Store]);
        let targets = self.locate(cluster, here, at);
        let left =
            targets.inside & mask(|lane| self.memory.flags.get(targets.index[lane] as usize) == Some(&true));
        self.report(cluster, here, Kind::Race, left, "it overwrites an accumulator that no thread has taken");
        self.exchange(cluster, here, at, &value, true);
    }

    /// Takes the accumulators that are there, and leaves the places empty.
    pub(super) fn take(&mut self, cluster: &mut Cluster, here: Here, into: usize, at: &At) {
        self.count_flagged(cluster, here, at, &[Direction::Load, Direction::Store]);
        let held = self.exchange(cluster, here, at, &[None; WIDTH], false);
        here.set(&mut here.warp(cluster).accs[into], &held);
    }

    /// Returns whether the accumulators that these lanes wait for are there. A lane outside the buffer does not
    /// wait.
    pub(super) fn is_posted(&mut self, cluster: &Cluster, here: Here, at: &At) -> bool {
        let targets = self.locate(cluster, here, at);
        each(targets.inside).all(|lane| self.memory.flags[targets.index[lane] as usize])
    }

    /// Replaces the accumulators and flags of the lanes, and returns the previous accumulators.
    fn exchange(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        at: &At,
        value: &PerLane<Option<Acc>>,
        flag: bool,
    ) -> PerLane<Option<Acc>> {
        let targets = self.locate(cluster, here, at);
        let (mut held, mut conflicts) = ([None; WIDTH], Vec::new());
        for lane in each(targets.inside) {
            let block = &mut cluster.blocks[here.rank];
            let cell = targets.cell(&mut self.memory, &mut cluster.shared, lane);
            let access = here.access(cluster.number, block, lane);
            let (before, conflict) = cell.update(&access, Scope::Grid, |_| value[lane]);
            held[lane] = before;
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
            let by = here.party(cluster.number, block, lane);
            block.fences.atomic(by, MemoryOrder::Relaxed, Scope::Grid, cell.channel(), &mut block.clocks);
            self.memory.flags[targets.index[lane] as usize] = flag;
        }
        self.effect(|_| targets.written(value));
        self.conflicts(cluster, here, &conflicts, "updates");
        held
    }

    fn count_flagged(&mut self, cluster: &Cluster, here: Here, at: &At, directions: &[Direction]) {
        let targets = self.locate(cluster, here, at);
        let (lanes, base, record) =
            ((targets.inside, &targets.index), self.setting.partials_at, &self.layout.flagged);
        for &direction in directions {
            self.count_global(here, direction, lanes, (base, record.size), &record.fields);
        }
    }
}
