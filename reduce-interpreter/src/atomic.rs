//! Atomics: one lane after the other, each in one step.

use super::block::Cluster;
use super::execute::Here;
use super::expr::{AccExpr, ScalarExpr};
use super::machine::Machine;
use super::op::At;
use super::report::Kind;
use super::schedule::Branches;
use super::warp::WIDTH;
use reduce_ir::program::Scope;
use reduce_ir::statements::{AtomicOp, MemoryOrder};

impl Machine<'_, '_> {
    /// An operation on a ticket.
    pub(super) fn atomic(
        &mut self,
        team: &mut Cluster,
        here: Here,
        into: usize,
        op: AtomicOp,
        (index, value): (&ScalarExpr, &ScalarExpr),
        (order, scope): (MemoryOrder, Scope),
    ) {
        let value = self.scalar(team, here, value);
        let (index, inside) = self.tickets(team, here, index);
        let (mut before, mut conflicts) = ([0; WIDTH], Vec::new());
        for lane in self.in_turn(inside) {
            let change = |held: Option<u32>| match op {
                AtomicOp::Add => Some(held.unwrap_or_default().wrapping_add(value[lane] as u32)),
                AtomicOp::Exchange => Some(value[lane] as u32),
                AtomicOp::Increment => {
                    Some(held.filter(|&held| held < value[lane] as u32).map_or(0, |held| held + 1))
                }
            };
            let block = &mut team.blocks[here.rank];
            let cell = &mut self.memory.ticket[index[lane] as usize];
            let (held, conflict) = cell.update(&here.access(team.number, block, lane), scope, change);
            before[lane] = held.unwrap_or_default().into();
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
            let by = here.party(team.number, block, lane);
            block.fences.atomic(by, order, scope, cell.channel(), &mut block.clocks);
        }
        self.tally.part(here.part).atomics += u64::from(inside.count_ones());
        self.conflicts(team, here, &conflicts, "updates");
        here.set(&mut here.warp(team).scalars[into], &before);
    }

    /// What a place holds, combined with an accumulator.
    pub(super) fn atomic_combine(
        &mut self,
        team: &mut Cluster,
        here: Here,
        at: &At,
        value: &AccExpr,
        (order, scope): (MemoryOrder, Scope),
    ) {
        let value = self.used(team, here, value);
        let spots = self.locate(team, here, at);
        let (mut fresh, mut conflicts) = (0, Vec::new());
        for lane in self.in_turn(spots.inside) {
            let held = spots.cell(&mut self.memory, &mut team.shared, lane).value();
            fresh |= u32::from(held.is_none()) << lane;
            let both = u32::from(held.is_some() && value[lane].is_some()) << lane;
            let mut combined = [None; WIDTH];
            let done = self.domain.combine(&[held; WIDTH], &value, both, &mut combined);
            self.accepted(team, here, done);
            let block = &mut team.blocks[here.rank];
            let cell = spots.cell(&mut self.memory, &mut team.shared, lane);
            let access = here.access(team.number, block, lane);
            let (_, conflict) = cell.update(&access, scope, |_| combined[lane]);
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
            let by = here.party(team.number, block, lane);
            block.fences.atomic(by, order, scope, cell.channel(), &mut block.clocks);
        }
        self.tally.part(here.part).atomics += u64::from(spots.inside.count_ones());
        self.report(team, here, Kind::Uninitialised, fresh, "nothing wrote it before");
        self.conflicts(team, here, &conflicts, "updates");
    }

    /// The lanes of a mask in the order in which their atomics take effect: any order is allowed.
    fn in_turn(&self, lanes: u32) -> impl Iterator<Item = usize> + use<> {
        let backward = self.schedule.branches == Branches::Diverging;
        let all = (0..WIDTH).map(move |at| if backward { WIDTH - 1 - at } else { at });
        all.filter(move |lane| lanes >> lane & 1 == 1)
    }
}
