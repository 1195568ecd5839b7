//! What each statement means for the lanes that execute it together.

use super::block::{Block, Cluster};
use super::domain::{Acc, Refused};
use super::expr::{AccExpr, Lanes, ScalarExpr};
use super::machine::Machine;
use super::memory::Access;
use super::op::Op;
use super::report::Kind;
use super::sync::Party;
use super::warp::{PerLane, WIDTH, Warp, each, mask};
use reduce_ir::program::Scope;
use reduce_ir::statements::{MemoryOrder, Part};

/// Lanes of a warp at a statement.
#[derive(Clone, Copy)]
pub(super) struct Here {
    /// The rank of the block in its cluster.
    pub(super) rank: usize,
    pub(super) warp: usize,
    pub(super) lanes: u32,
    pub(super) pc: usize,
    pub(super) part: Part,
}

impl Here {
    /// The thread of a lane.
    pub(super) fn thread(self, lane: usize) -> u32 {
        (self.warp * WIDTH + lane) as u32
    }

    /// The registers of these lanes.
    pub(super) fn warp(self, team: &mut Cluster) -> &mut Warp {
        &mut team.blocks[self.rank].warps[self.warp]
    }

    /// A lane, as scopes see it.
    pub(super) fn party(self, cluster: u64, block: &Block, lane: usize) -> Party {
        Party { cluster: cluster as u32, block: block.number as u32, thread: self.thread(lane) }
    }

    /// What a lane accesses now.
    pub(super) fn access(self, cluster: u64, block: &Block, lane: usize) -> Access<'_> {
        Access { by: self.party(cluster, block, lane), pc: self.pc, clocks: &block.clocks, to: None }
    }

    /// Sets these lanes of a register.
    pub(super) fn set<T: Copy>(self, register: &mut PerLane<T>, value: &PerLane<T>) {
        if self.lanes == u32::MAX {
            *register = *value;
        } else {
            each(self.lanes).for_each(|lane| register[lane] = value[lane]);
        }
    }
}

impl Machine<'_, '_> {
    /// A statement that moves no lane elsewhere.
    pub(super) fn execute(&mut self, team: &mut Cluster, here: Here) {
        let code = self.code;
        if code.kernel.dependent && code.ops[here.pc].is_global() {
            let early = here.lanes & !here.warp(team).awaited;
            self.report(team, here, Kind::Early, early, "the thread has not waited for that");
        }
        match &code.ops[here.pc] {
            Op::Scalar { into, value } => {
                let value = self.scalar(team, here, value);
                here.set(&mut here.warp(team).scalars[*into], &value);
            }
            Op::Acc { into, value } => {
                let value = self.acc(team, here, value);
                here.set(&mut here.warp(team).accs[*into], &value);
            }
            Op::Elements { into, elements, index } => {
                self.load_elements(team, here, *into, *elements, index);
            }
            Op::LoadAcc { into, at } => self.load(team, here, *into, at),
            Op::StoreAcc { at, value } => self.store(team, here, at, value),
            Op::LoadTicket { into, index } => self.load_ticket(team, here, *into, index),
            Op::StoreTicket { index, value } => self.store_ticket(team, here, index, value),
            Op::Shuffle { into, value, down, mask } => self.shuffle(team, here, *into, (value, down), *mask),
            Op::Redux { acc, there } => self.redux(team, here, *acc, there.as_ref()),
            Op::Fence(order, scope) => self.fence(team, here, *order, *scope),
            Op::Atomic { into, op, index, value, order, scope } => {
                self.atomic(team, here, *into, *op, (index, value), (*order, *scope));
            }
            Op::AtomicCombine { at, value, order, scope } => {
                self.atomic_combine(team, here, at, value, (*order, *scope));
            }
            // These move lanes: see `machine`.
            Op::Post { at, value } => self.post(team, here, at, value),
            Op::Take { into, at } => self.take(team, here, *into, at),
            Op::Expect { messages } => self.expect(team, here, messages),
            Op::Send { at, value } => self.send(team, here, at, value),
            Op::Receive => Machine::receive(team, here),
            Op::Branch { .. } | Op::Jump(_) | Op::Barrier(_) | Op::Exit => {}
            Op::Wait | Op::Vote { .. } => {}
            // The launches of a reduction run one after the other here: who has waited is all that must be known.
            Op::AwaitLaunch => here.warp(team).awaited |= here.lanes,
            Op::TriggerLaunch => {}
            Op::Arrive => {
                let again = here.lanes & here.warp(team).arrived;
                self.report(
                    team,
                    here,
                    Kind::Divergence,
                    again,
                    "the thread has arrived, and not waited yet",
                );
                here.warp(team).arrived |= here.lanes;
            }
        }
        if code.sources[here.pc].combines {
            let counts = self.tally.part(here.part);
            counts.slots += WIDTH as u64;
            counts.active += u64::from(here.lanes.count_ones());
        }
    }

    /// A scalar in every lane; it means something in those that are here.
    pub(super) fn scalar(&mut self, team: &Cluster, here: Here, expr: &ScalarExpr) -> PerLane<u64> {
        let block = &team.blocks[here.rank];
        let mut lanes = Lanes {
            registers: &block.warps[here.warp].scalars,
            thread: here.thread(0),
            block: block.number,
            rank: here.rank as u32,
            overflow: 0,
            by_zero: 0,
        };
        let value = lanes.eval(expr, here.lanes);
        let (overflow, by_zero) = (lanes.overflow, lanes.by_zero);
        if overflow | by_zero != 0 {
            self.report(team, here, Kind::Overflow, overflow, "its index arithmetic does not fit its type");
            self.report(team, here, Kind::DivisionByZero, by_zero, "the divisor is 0");
        }
        value
    }

    /// An accumulator in every lane that is here.
    pub(super) fn acc(&mut self, team: &Cluster, here: Here, expr: &AccExpr) -> PerLane<Option<Acc>> {
        match expr {
            AccExpr::Register(at) => team.blocks[here.rank].warps[here.warp].accs[*at],
            AccExpr::Empty => [self.domain.empty(); WIDTH],
            AccExpr::Map(args) => {
                let args = self.scalars(team, here, args);
                let mut out = [None; WIDTH];
                let mapped = self.domain.map(&args, here.lanes, &mut out);
                self.accepted(team, here, mapped);
                out
            }
            AccExpr::Combine(operands) => {
                let [a, b] = &**operands;
                let (a, b) = (self.used(team, here, a), self.used(team, here, b));
                let defined = here.lanes & mask(|lane| a[lane].is_some() && b[lane].is_some());
                let mut out = [None; WIDTH];
                let combined = self.domain.combine(&a, &b, defined, &mut out);
                self.accepted(team, here, combined);
                out
            }
            AccExpr::Fold(acc, args) => {
                let (acc, args) = (self.used(team, here, acc), self.scalars(team, here, args));
                let defined = here.lanes & mask(|lane| acc[lane].is_some());
                let mut out = [None; WIDTH];
                let folded = self.domain.fold(&acc, &args, defined, &mut out);
                self.accepted(team, here, folded);
                out
            }
            AccExpr::Finish(acc) => self.used(team, here, acc),
        }
    }

    /// The arguments of a function in every lane.
    fn scalars(&mut self, team: &Cluster, here: Here, args: &[ScalarExpr]) -> Vec<PerLane<u64>> {
        args.iter().map(|arg| self.scalar(team, here, arg)).collect()
    }

    /// An accumulator that is used, and so must be defined.
    pub(super) fn used(&mut self, team: &Cluster, here: Here, expr: &AccExpr) -> PerLane<Option<Acc>> {
        let value = self.acc(team, here, expr);
        let undefined = here.lanes & mask(|lane| value[lane].is_none());
        self.report(team, here, Kind::Undefined, undefined, "what it uses was never set");
        value
    }

    /// Reports what the domain refuses.
    pub(super) fn accepted(&mut self, team: &Cluster, here: Here, done: Result<(), Refused>) {
        if let Err(refused) = done {
            let kind = match refused {
                Refused::MixedPositions(..) => Kind::MixedPositions,
                Refused::NoRedux | Refused::Lanes(_) => Kind::Malformed,
            };
            self.report(team, here, kind, here.lanes, &refused.to_string());
        }
    }

    /// Each lane gets what another one holds: an undefined accumulator, where that one takes no part.
    fn shuffle(
        &mut self,
        team: &mut Cluster,
        here: Here,
        into: usize,
        (value, down): (&AccExpr, &ScalarExpr),
        named: u32,
    ) {
        let value = self.acc(team, here, value);
        let down = self.scalar(team, here, down);
        let source = |lane: usize| {
            let up = usize::try_from(down[lane]).ok().and_then(|down| lane.checked_add(down));
            up.filter(|&up| up < WIDTH).unwrap_or(lane)
        };
        let takes_part = |lane: usize| (named & here.lanes) >> lane & 1 == 1;
        let shuffled = std::array::from_fn(|lane| value[source(lane)].filter(|_| takes_part(source(lane))));
        let alone = named & here.lanes & mask(|lane| !takes_part(source(lane)));
        self.report(team, here, Kind::Shuffle, alone, "the lane it reads has exited or is not in the mask");
        self.tally.part(here.part).shuffles += 1;
        here.set(&mut here.warp(team).accs[into], &shuffled);
    }

    /// The accumulators of the lanes for which it holds become one, in every lane.
    fn redux(&mut self, team: &mut Cluster, here: Here, acc: usize, there: Option<&ScalarExpr>) {
        let there = there.map_or(here.lanes, |there| {
            let there = self.scalar(team, here, there);
            here.lanes & mask(|lane| there[lane] != 0)
        });
        let accs = here.warp(team).accs[acc];
        let undefined = there & mask(|lane| accs[lane].is_none());
        self.report(team, here, Kind::Undefined, undefined, "what it uses was never set");
        let mut all = None;
        let reduced = self.domain.redux(&accs, there & !undefined, &mut all);
        self.accepted(team, here, reduced);
        self.tally.part(here.part).redux += 1;
        here.set(&mut here.warp(team).accs[acc], &[all; WIDTH]);
    }

    fn fence(&mut self, team: &mut Cluster, here: Here, order: MemoryOrder, scope: Scope) {
        let block = &mut team.blocks[here.rank];
        for lane in each(here.lanes) {
            let by = here.party(team.number, block, lane);
            block.fences.fence(by, order, scope, &mut block.clocks);
        }
        self.tally.part(here.part).fences += 1;
    }
}
