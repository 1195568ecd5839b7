//! Logical threads. An association fixes a tree, not the threads that evaluate it. So one thread can evaluate several
//! threads of the association, one after the other, and a warp can evaluate several warps, side by side.

use super::Lowerer;
use super::unit::{Before, Loads};
use reduce_ir::ops::Bin;
use reduce_ir::program::{Program, Scope, Size, Step};
use reduce_ir::statements::{Expr, Local, Loop, Part, Stmt, Ty, Unroll};

/// The most items of turns that are unrolled, so that their loads are in flight together.
const UNROLLED: u32 = 32;

impl Lowerer<'_> {
    /// Evaluates several logical warps in a warp. Each thread folds the items of one thread of each, then combines
    /// their accumulators in its registers.
    pub(super) fn logical_warps(&mut self) {
        let (of_thread, of_team) = self.steps_by_scope();
        self.each_logical(self.kernel.team.logical, Program::WARP, |of| {
            of_thread.iter().for_each(|step| of.step(step));
        });
        of_team.iter().for_each(|step| self.step(step));
    }

    /// Evaluates several logical threads in each lane of a team that is smaller than a warp. They are as far apart as the team
    /// has lanes. So their loads are in flight together, and the first levels of the tree combine them in registers.
    pub(super) fn logical_lanes(&mut self, lanes: u32) {
        let (of_thread, of_team) = self.steps_by_scope();
        let logical = self.kernel.team.logical;
        self.fold_of_lanes(lanes);
        let combines: Vec<_> =
            of_thread.into_iter().filter(|step| matches!(step, Step::Combine(_))).collect();
        let per_thread = self.lanes.len() / logical as usize;
        let mut all = std::mem::take(&mut self.lanes);
        self.each_logical(logical, lanes, |of| {
            of.lanes = all.drain(..per_thread).collect();
            combines.iter().for_each(|step| of.step(step));
        });
        let what =
            format!("the {logical} logical threads of each lane, through registers  [logical({logical})]");
        self.body.push(Stmt::Note(Part::Tree, what));
        for stride in [16, 8, 4, 2].into_iter().filter(|&stride| (lanes..lanes * logical).contains(&stride)) {
            for left in 0..stride / lanes {
                let pair = self.lane_pair(Scope::Warp, left, left + stride / lanes);
                self.body.push(pair);
            }
        }
        self.lanes.truncate(1);
        of_team.iter().for_each(|step| self.step(step));
    }

    /// Folds the only unit of each logical thread. Leaves the accumulators of all.
    fn fold_of_lanes(&mut self, lanes: u32) {
        let (fold, logical) = (self.kernel.fold(), self.kernel.team.logical);
        self.note_fold(fold);
        let (mut loads, mut adds, mut guarded) = (Vec::new(), Vec::new(), Vec::new());
        self.each_logical(logical, lanes, |of| {
            of.declare_lanes(fold);
            let suffix = of.current.suffix.clone();
            if of.loads_first(1) {
                let (load, add) = of.whole_unit(of.thread(), Before::Nothing, &suffix);
                loads.extend(load);
                adds.extend(add);
            }
            guarded.extend(of.units(fold, 1, Loads::Guarded));
        });
        if self.loads_first(1) {
            self.body.push(Stmt::If(self.all_whole(), [loads, adds].concat(), guarded));
        } else {
            self.body.extend(guarded);
        }
        self.threads_with_an_item(fold);
    }

    /// Calls `work` for `count` logical threads, whose numbers are `apart` from each other. Collects their accumulators.
    fn each_logical(&mut self, count: u32, apart: u32, mut work: impl FnMut(&mut Self)) {
        let lane = self.thread();
        let mut accs = Vec::new();
        for at in 0..count {
            self.current.number = lane.clone().plus(at * apart);
            self.current.suffix = format!("_{at}");
            work(self);
            accs.append(&mut self.lanes);
        }
        self.current.number = lane;
        self.current.suffix.clear();
        self.lanes = accs;
    }

    /// Evaluates all logical threads in one thread. It visits them in the order in which the tree combines them, and
    /// combines like a binary counter carries. So at most log₂(block) accumulators wait at a time.
    pub(super) fn logical_threads(&mut self) {
        let (of_thread, of_team) = self.steps_by_scope();
        let strides = self.program.strides(self.kernel.reads);
        for step in &of_team {
            self.note(Part::Tree, step, vec!["team(thread)".to_owned()]);
        }
        let turns = 1 << strides.len();
        let all = turns == self.program.block;
        let name = if all { "BLOCK" } else { "LOGICAL" };
        if !all {
            self.constant(name, turns, "threads of the association that can have an item".to_owned());
        }
        self.turns(&of_thread, &strides, name, |turn| turn);
        self.current.number = 0.into();
    }

    /// Returns whether a thread evaluates one logical thread in a round, so that there is nothing to combine with.
    pub(super) fn has_one_turn(&self) -> bool {
        let reads = self.kernel.reads;
        match self.kernel.team.size {
            _ if self.is_beside() => self.program.divided(reads).turns.is_empty(),
            Size::Thread => self.program.strides(reads).is_empty(),
            Size::Lanes(_) | Size::Warp | Size::Block | Size::Cluster | Size::Grid { .. } => false,
        }
    }

    /// Returns the number of items of all turns over logical threads.
    fn items_of_turns(&self, strides: &[u32]) -> u32 {
        let (_, units) = self.program.reached(self.kernel.reads);
        (units * self.kernel.fold().width) << strides.len()
    }

    /// Evaluates logical threads one after the other: those that `logical` makes of the ones that the strides select. Leaves
    /// their accumulator.
    pub(super) fn turns(
        &mut self,
        of_thread: &[Step],
        strides: &[u32],
        turns: &'static str,
        logical: impl Fn(Expr) -> Expr,
    ) {
        let turn = Local::new("turn", Ty::U32);
        let mine = Local::new("logical", Ty::U32);
        let total = self.local("total", Ty::Acc);
        let waiting: Vec<_> =
            (0..strides.len()).map(|at| Local::new(format!("waiting_{at}"), Ty::Acc)).collect();
        let declared = waiting.iter().chain([&total]).map(|local| Stmt::Var(local.clone(), Expr::Empty));
        self.body.extend(declared);
        let outside = std::mem::take(&mut self.body);
        self.body.push(Stmt::Let(mine.clone(), logical(visited(&turn.get(), strides))));
        self.current.number = mine.get();
        of_thread.iter().for_each(|step| self.step(step));
        let carried = self.carry(strides, &waiting, &total, &mine);
        self.body.extend(carried);
        let body = std::mem::replace(&mut self.body, outside);
        self.body.push(Stmt::For(Box::new(Loop {
            from: 0.into(),
            test: turn.get().below(Expr::Named(turns)),
            next: turn.get().plus(1),
            unroll: if self.items_of_turns(strides) <= UNROLLED { Unroll::All } else { Unroll::Unsaid },
            body,
            local: turn,
        })));
        self.lanes = vec![total];
    }

    /// Returns the statements for the accumulator of a turn: a left operand waits, and a right operand is combined with
    /// the left one that waits.
    fn carry(&self, strides: &[u32], waiting: &[Local], total: &Local, mine: &Local) -> Vec<Stmt> {
        let acc = self.acc().clone();
        let mut body = vec![Stmt::Set(total.clone(), acc.get())];
        for (bit, stride) in strides.iter().enumerate().rev() {
            let left = waiting[bit].clone();
            let join = Stmt::Set(acc.clone(), left.get().combine(acc.get()));
            let keep = Stmt::Set(acc.clone(), left.get());
            // The first logical thread of the right operand: its own number, without the strides of the levels before.
            let before: u32 = strides[..bit].iter().sum();
            let end = mine.get().bin(Bin::Sub, mine.get().bin(Bin::And, before));
            let has_right = end.below(self.present.clone());
            let joins = if self.guarded() { Stmt::If(has_right, vec![join], vec![keep]) } else { join };
            let right = [vec![joins], body].concat();
            let is_right = mine.get().bin(Bin::And, *stride).equals(*stride);
            body = vec![Stmt::If(is_right, right, vec![Stmt::Set(left, acc.get())])];
        }
        body
    }

    /// Returns the steps of a thread, and the steps of its team.
    pub(super) fn steps_by_scope(&self) -> (Vec<Step>, Vec<Step>) {
        let of_thread = |step: &Step| match step {
            Step::Fold(_) => true,
            Step::Combine(combine) => combine.scope == Scope::Thread,
            Step::Keep | Step::Exchange(_) => false,
        };
        self.kernel.steps.iter().partition(|step| of_thread(step))
    }
}

/// Returns the logical thread of a turn: bit `b` of the turn selects the `b`-th stride.
pub(super) fn visited(turn: &Expr, strides: &[u32]) -> Expr {
    let bit = |(at, &stride): (usize, &u32)| {
        let shifted = if at == 0 { turn.clone() } else { turn.clone().over(1u32 << at) };
        let bit = shifted.bin(Bin::And, 1);
        if stride == 1 { bit } else { bit.times(stride) }
    };
    let bits = strides.iter().enumerate().map(bit);
    bits.reduce(Expr::plus).unwrap_or(0.into())
}
