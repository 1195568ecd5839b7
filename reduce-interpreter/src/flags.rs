//! Accumulators with flags: one block leaves them, and another one waits until they are there. Each is left, seen and
//! taken away in relaxed atomic steps, which order nothing else.

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
    /// Leaves an accumulator where none may be.
    pub(super) fn post(&mut self, team: &mut Cluster, here: Here, at: &At, value: &AccExpr) {
        let value = self.used(team, here, value);
        self.count_flagged(team, here, at, &[Direction::Store]);
        let spots = self.locate(team, here, at);
        let left =
            spots.inside & mask(|lane| self.memory.flags.get(spots.index[lane] as usize) == Some(&true));
        self.report(team, here, Kind::Race, left, "it replaces an accumulator that nobody has taken");
        self.exchange(team, here, at, &value, true);
    }

    /// Takes away the accumulators that are there.
    pub(super) fn take(&mut self, team: &mut Cluster, here: Here, into: usize, at: &At) {
        self.count_flagged(team, here, at, &[Direction::Load, Direction::Store]);
        let held = self.exchange(team, here, at, &[None; WIDTH], false);
        here.set(&mut here.warp(team).accs[into], &held);
    }

    /// Are the accumulators there that these lanes wait for? Outside of its buffer, no lane waits.
    pub(super) fn is_posted(&mut self, team: &Cluster, here: Here, at: &At) -> bool {
        let spots = self.locate(team, here, at);
        each(spots.inside).all(|lane| self.memory.flags[spots.index[lane] as usize])
    }

    /// What is there, for what is there afterwards, with a flag or without.
    fn exchange(
        &mut self,
        team: &mut Cluster,
        here: Here,
        at: &At,
        value: &PerLane<Option<Acc>>,
        flag: bool,
    ) -> PerLane<Option<Acc>> {
        let spots = self.locate(team, here, at);
        let (mut held, mut conflicts) = ([None; WIDTH], Vec::new());
        for lane in each(spots.inside) {
            let block = &mut team.blocks[here.rank];
            let cell = spots.cell(&mut self.memory, &mut team.shared, lane);
            let access = here.access(team.number, block, lane);
            let (before, conflict) = cell.update(&access, Scope::Grid, |_| value[lane]);
            held[lane] = before;
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
            let by = here.party(team.number, block, lane);
            block.fences.atomic(by, MemoryOrder::Relaxed, Scope::Grid, cell.channel(), &mut block.clocks);
            self.memory.flags[spots.index[lane] as usize] = flag;
        }
        self.conflicts(team, here, &conflicts, "updates");
        held
    }

    fn count_flagged(&mut self, team: &Cluster, here: Here, at: &At, directions: &[Direction]) {
        let spots = self.locate(team, here, at);
        let (lanes, base, record) =
            ((spots.inside, &spots.index), self.setting.partials_at, &self.layout.flagged);
        for &direction in directions {
            self.count_global(here, direction, lanes, (base, record.size), &record.fields);
        }
    }
}
