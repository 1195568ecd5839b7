//! The effect of each statement on the lanes that execute it together.

use super::block::{Block, Cluster};
use super::domain::{Acc, Refused};
use super::expr::{AccExpr, Lanes, ScalarExpr};
use super::machine::Machine;
use super::memory::Access;
use super::op::Op;
use super::report::Kind;
use super::sync::Party;
use super::trace::Effect;
use super::warp::{PerLane, WIDTH, Warp, each, mask};
use reduce_ir::program::Scope;
use reduce_ir::statements::{MemoryOrder, Part};

/// The lanes of a warp that execute a statement.
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
    /// Returns the thread of a lane.
    pub(super) fn thread(self, lane: usize) -> u32 {
        (self.warp * WIDTH + lane) as u32
    }

    /// Returns the registers of these lanes.
    pub(super) fn warp(self, cluster: &mut Cluster) -> &mut Warp {
        &mut cluster.blocks[self.rank].warps[self.warp]
    }

    /// Returns the position of a lane's thread, for scope checks.
    pub(super) fn party(self, cluster: u64, block: &Block, lane: usize) -> Party {
        Party { cluster: cluster as u32, block: block.number as u32, thread: self.thread(lane) }
    }

    /// Returns the current access of a lane.
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
    /// Executes a statement that does not change the position of its lanes.
    pub(super) fn execute(&mut self, cluster: &mut Cluster, here: Here) {
        let code = self.code;
        if code.kernel.dependent && code.ops[here.pc].is_global() {
            let early = here.lanes & !here.warp(cluster).awaited;
            self.report(
                cluster,
                here,
                Kind::Early,
                early,
                "the thread has not waited for the previous launch",
            );
        }
        match &code.ops[here.pc] {
            Op::Scalar { into, value } => {
                let value = self.scalar(cluster, here, value);
                here.set(&mut here.warp(cluster).scalars[*into], &value);
            }
            Op::Acc { into, value } => {
                let value = self.acc(cluster, here, value);
                here.set(&mut here.warp(cluster).accs[*into], &value);
            }
            Op::Elements { into, elements, index } => {
                self.load_elements(cluster, here, *into, *elements, index);
            }
            Op::LoadAcc { into, at } => self.load(cluster, here, *into, at),
            Op::StoreAcc { at, value } => self.store(cluster, here, at, value),
            Op::LoadTicket { into, index } => self.load_ticket(cluster, here, *into, index),
            Op::StoreTicket { index, value } => self.store_ticket(cluster, here, index, value),
            Op::LoadNumber { into, array, index } => {
                self.load_number(cluster, here, *into, (*array, index));
            }
            Op::StoreNumber { array, index, value } => {
                self.store_number(cluster, here, (*array, index), value);
            }
            Op::Clear(list) => self.clear(cluster, here, *list),
            Op::Append { list, value } => self.append(cluster, here, *list, value),
            Op::Length { into, list } => self.length(cluster, here, *into, *list),
            Op::Fault(segment) => self.fault(cluster, here, segment),
            Op::Shuffle { into, value, down, mask } => {
                self.shuffle(cluster, here, *into, (value, down), *mask)
            }
            Op::Redux { acc, predicate } => self.redux(cluster, here, *acc, predicate.as_ref()),
            Op::Ballot { into, test } => {
                let test = self.scalar(cluster, here, test);
                let all = here.lanes & mask(|lane| test[lane] != 0);
                here.set(&mut here.warp(cluster).scalars[*into], &[all.into(); WIDTH]);
            }
            Op::Turn { turn, turns, value } => self.take_turns(cluster, here, [*turn, *turns], value),
            Op::Fence(order, scope) => self.fence(cluster, here, *order, *scope),
            Op::Atomic { into, op, index, value, order, scope } => {
                self.atomic(cluster, here, *into, *op, (index, value), (*order, *scope));
            }
            Op::AtomicCombine { at, value, order, scope } => {
                self.atomic_combine(cluster, here, at, value, (*order, *scope));
            }
            // `machine` decides when the lanes of these statements continue.
            Op::Post { at, value } => self.post(cluster, here, at, value),
            Op::Take { into, at } => self.take(cluster, here, *into, at),
            Op::Expect { messages } => self.expect(cluster, here, messages),
            Op::Send { at, value } => self.send(cluster, here, at, value),
            Op::Receive => Machine::receive(cluster, here),
            Op::Branch { .. } | Op::Jump(_) | Op::Barrier(_) | Op::Exit => {}
            Op::Wait | Op::Vote { .. } | Op::Prefix { .. } => {}
            // Launches run one after the other here, so it suffices to record the threads that have waited.
            Op::AwaitLaunch => here.warp(cluster).awaited |= here.lanes,
            Op::TriggerLaunch => {}
            Op::Arrive => {
                let again = here.lanes & here.warp(cluster).arrived;
                self.report(
                    cluster,
                    here,
                    Kind::Divergence,
                    again,
                    "the thread arrives twice without a wait",
                );
                here.warp(cluster).arrived |= here.lanes;
            }
        }
        if code.sources[here.pc].combines {
            let counts = self.tally.part(here.part);
            counts.slots += WIDTH as u64;
            counts.active += u64::from(here.lanes.count_ones());
        }
    }

    /// Evaluates a scalar in every lane. The values of inactive lanes have no meaning.
    pub(super) fn scalar(&mut self, cluster: &Cluster, here: Here, expr: &ScalarExpr) -> PerLane<u64> {
        let block = &cluster.blocks[here.rank];
        let mut lanes = Lanes {
            registers: &block.warps[here.warp].scalars,
            key: self.setting.operation.key.as_ref(),
            thread: here.thread(0),
            block: block.number,
            rank: here.rank as u32,
            overflow: 0,
            by_zero: 0,
        };
        let value = lanes.eval(expr, here.lanes);
        let (overflow, by_zero) = (lanes.overflow, lanes.by_zero);
        if overflow | by_zero != 0 {
            self.report(
                cluster,
                here,
                Kind::Overflow,
                overflow,
                "the value of the index does not fit its type",
            );
            self.report(cluster, here, Kind::DivisionByZero, by_zero, "the divisor is 0");
        }
        value
    }

    /// Evaluates an accumulator in every active lane.
    pub(super) fn acc(&mut self, cluster: &Cluster, here: Here, expr: &AccExpr) -> PerLane<Option<Acc>> {
        match expr {
            AccExpr::Register(at) => cluster.blocks[here.rank].warps[here.warp].accs[*at],
            AccExpr::Empty => [self.domain.empty(); WIDTH],
            AccExpr::Map(args) => {
                let args = self.scalars(cluster, here, args);
                let mut out = [None; WIDTH];
                let mapped = self.domain.map(&args, here.lanes, &mut out);
                self.report_refusal(cluster, here, mapped);
                out
            }
            AccExpr::Combine(operands) => {
                let [a, b] = &**operands;
                let (a, b) = (self.checked_acc(cluster, here, a), self.checked_acc(cluster, here, b));
                let defined = here.lanes & mask(|lane| a[lane].is_some() && b[lane].is_some());
                let mut out = [None; WIDTH];
                let combined = self.domain.combine(&a, &b, defined, &mut out);
                self.report_refusal(cluster, here, combined);
                out
            }
            AccExpr::Fold(acc, args) => {
                let (acc, args) = (self.checked_acc(cluster, here, acc), self.scalars(cluster, here, args));
                let defined = here.lanes & mask(|lane| acc[lane].is_some());
                let mut out = [None; WIDTH];
                let folded = self.domain.fold(&acc, &args, defined, &mut out);
                self.report_refusal(cluster, here, folded);
                out
            }
            AccExpr::Finish(acc) => self.checked_acc(cluster, here, acc),
        }
    }

    /// Evaluates the arguments of a function in every lane.
    fn scalars(&mut self, cluster: &Cluster, here: Here, args: &[ScalarExpr]) -> Vec<PerLane<u64>> {
        args.iter().map(|arg| self.scalar(cluster, here, arg)).collect()
    }

    /// Evaluates an accumulator that is used, and reports lanes where it is undefined.
    pub(super) fn checked_acc(
        &mut self,
        cluster: &Cluster,
        here: Here,
        expr: &AccExpr,
    ) -> PerLane<Option<Acc>> {
        let value = self.acc(cluster, here, expr);
        let undefined = here.lanes & mask(|lane| value[lane].is_none());
        self.report(cluster, here, Kind::Undefined, undefined, "the accumulator was never set");
        value
    }

    /// Reports the refusal of a domain.
    pub(super) fn report_refusal(&mut self, cluster: &Cluster, here: Here, done: Result<(), Refused>) {
        if let Err(refused) = done {
            let kind = match refused {
                Refused::MixedPositions(..) => Kind::MixedPositions,
                Refused::NoRedux | Refused::Lanes(_) => Kind::Malformed,
            };
            self.report(cluster, here, kind, here.lanes, &refused.to_string());
        }
    }

    /// Reads the accumulator of another lane into each lane; undefined where that lane takes no part.
    fn shuffle(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        into: usize,
        (value, down): (&AccExpr, &ScalarExpr),
        named: u32,
    ) {
        let value = self.acc(cluster, here, value);
        let down = self.scalar(cluster, here, down);
        let source = |lane: usize| {
            let up = usize::try_from(down[lane]).ok().and_then(|down| lane.checked_add(down));
            up.filter(|&up| up < WIDTH).unwrap_or(lane)
        };
        let takes_part = |lane: usize| (named & here.lanes) >> lane & 1 == 1;
        let shuffled = std::array::from_fn(|lane| value[source(lane)].filter(|_| takes_part(source(lane))));
        let alone = named & here.lanes & mask(|lane| !takes_part(source(lane)));
        self.report(
            cluster,
            here,
            Kind::Shuffle,
            alone,
            "the lane it reads has exited or is not in the mask",
        );
        self.tally.part(here.part).shuffles += 1;
        self.effect(|_| Effect::Shuffle(std::array::from_fn(source)));
        here.set(&mut here.warp(cluster).accs[into], &shuffled);
    }

    /// Combines the accumulators of the lanes whose condition holds, and writes the result to every lane.
    fn redux(&mut self, cluster: &mut Cluster, here: Here, acc: usize, predicate: Option<&ScalarExpr>) {
        let predicate = predicate.map_or(here.lanes, |predicate| {
            let predicate = self.scalar(cluster, here, predicate);
            here.lanes & mask(|lane| predicate[lane] != 0)
        });
        let accs = here.warp(cluster).accs[acc];
        let undefined = predicate & mask(|lane| accs[lane].is_none());
        self.report(cluster, here, Kind::Undefined, undefined, "the accumulator was never set");
        let mut all = None;
        let reduced = self.domain.redux(&accs, predicate & !undefined, &mut all);
        self.report_refusal(cluster, here, reduced);
        self.tally.part(here.part).redux += 1;
        here.set(&mut here.warp(cluster).accs[acc], &[all; WIDTH]);
    }

    /// Writes the number of lower lanes with the same value, and the number of turns of the warp.
    fn take_turns(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        [turn, turns]: [usize; 2],
        value: &ScalarExpr,
    ) {
        let value = self.scalar(cluster, here, value);
        let lower = |lane: usize| {
            each(here.lanes)
                .take_while(|lower| *lower < lane)
                .filter(|&lower| value[lower] == value[lane])
                .count() as u64
        };
        let turn_of: PerLane<u64> = std::array::from_fn(lower);
        let most = each(here.lanes).map(|lane| turn_of[lane]).max().unwrap_or(0);
        let warp = here.warp(cluster);
        here.set(&mut warp.scalars[turn], &turn_of);
        here.set(&mut warp.scalars[turns], &[most + 1; WIDTH]);
    }

    fn fence(&mut self, cluster: &mut Cluster, here: Here, order: MemoryOrder, scope: Scope) {
        let block = &mut cluster.blocks[here.rank];
        for lane in each(here.lanes) {
            let by = here.party(cluster.number, block, lane);
            block.fences.fence(by, order, scope, &mut block.clocks);
        }
        self.tally.part(here.part).fences += 1;
    }
}
