//! Atomics: the lanes execute them one after the other, each in one step.

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
    /// Executes an atomic operation on a ticket.
    pub(super) fn atomic(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        into: usize,
        op: AtomicOp,
        (index, value): (&ScalarExpr, &ScalarExpr),
        (order, scope): (MemoryOrder, Scope),
    ) {
        let value = self.scalar(cluster, here, value);
        let (index, inside) = self.tickets(cluster, here, index);
        let (mut before, mut conflicts) = ([0; WIDTH], Vec::new());
        for lane in self.in_turn(inside) {
            let change = |held: Option<u32>| match op {
                AtomicOp::Add => Some(held.unwrap_or_default().wrapping_add(value[lane] as u32)),
                AtomicOp::Exchange => Some(value[lane] as u32),
                AtomicOp::Increment => {
                    Some(held.filter(|&held| held < value[lane] as u32).map_or(0, |held| held + 1))
                }
            };
            let block = &mut cluster.blocks[here.rank];
            let cell = &mut self.memory.ticket[index[lane] as usize];
            let (held, conflict) = cell.update(&here.access(cluster.number, block, lane), scope, change);
            before[lane] = held.unwrap_or_default().into();
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
            let by = here.party(cluster.number, block, lane);
            block.fences.atomic(by, order, scope, cell.channel(), &mut block.clocks);
        }
        self.tally.part(here.part).atomics += u64::from(inside.count_ones());
        self.conflicts(cluster, here, &conflicts, "updates");
        here.set(&mut here.warp(cluster).scalars[into], &before);
    }

    /// Atomically combines an accumulator into a place.
    pub(super) fn atomic_combine(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        at: &At,
        value: &AccExpr,
        (order, scope): (MemoryOrder, Scope),
    ) {
        let value = self.checked_acc(cluster, here, value);
        let targets = self.locate(cluster, here, at);
        let (mut uninitialised, mut conflicts, mut after) = (0, Vec::new(), [None; WIDTH]);
        for lane in self.in_turn(targets.inside) {
            let held = targets.cell(&mut self.memory, &mut cluster.shared, lane).value();
            uninitialised |= u32::from(held.is_none()) << lane;
            let both = u32::from(held.is_some() && value[lane].is_some()) << lane;
            let mut combined = [None; WIDTH];
            let done = self.domain.combine(&[held; WIDTH], &value, both, &mut combined);
            self.report_refusal(cluster, here, done);
            let block = &mut cluster.blocks[here.rank];
            let cell = targets.cell(&mut self.memory, &mut cluster.shared, lane);
            let access = here.access(cluster.number, block, lane);
            let (_, conflict) = cell.update(&access, scope, |_| combined[lane]);
            after[lane] = combined[lane];
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
            let by = here.party(cluster.number, block, lane);
            block.fences.atomic(by, order, scope, cell.channel(), &mut block.clocks);
        }
        self.tally.part(here.part).atomics += u64::from(targets.inside.count_ones());
        self.effect(|_| targets.written(&after));
        self.report(cluster, here, Kind::Uninitialised, uninitialised, "no thread wrote it before");
        self.conflicts(cluster, here, &conflicts, "updates");
    }

    /// Returns the lanes of a mask in the order in which their atomics take effect. Any order is allowed.
    pub(super) fn in_turn(&self, lanes: u32) -> impl Iterator<Item = usize> + use<> {
        let backward = self.schedule.branches == Branches::Diverging;
        let all = (0..WIDTH).map(move |at| if backward { WIDTH - 1 - at } else { at });
        all.filter(move |lane| lanes >> lane & 1 == 1)
    }
}
