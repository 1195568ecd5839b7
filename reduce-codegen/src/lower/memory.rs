//! Trees in memory: the active threads of each step, their items, and the barriers between steps.

use super::Lowerer;
use super::locals::count;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Addressing, Combine, Lowering, Program, Step, Tree};
use reduce_ir::statements::{Barrier, Buffer, Expr, FULL, Local, Loop, Part, Place, Stmt, Ty, Unroll};

const TREE: &str = "tree";

/// The memory of a tree.
struct Slots {
    combine: Combine,
    addressing: Addressing,
    /// The workspace if the tree is in place, where each thread has two items; otherwise an array in shared memory,
    /// with one item for each thread.
    tree: Buffer,
    /// The type of its items.
    ty: Ty,
    /// The number of present items, if steps must check it.
    present: Option<Expr>,
    /// Whether an item has 8 bytes or more, so that 16 items fill a row of the banks.
    wide: bool,
    /// See [`Lowerer`].
    suffix: &'static str,
}

impl Lowerer<'_> {
    /// Combines the accumulators of the threads, in thread 0, through an array of the whole block.
    pub(super) fn shared_tree(&mut self, combine: Combine, addressing: Addressing) {
        let tree = self.shared_array(TREE, "BLOCK");
        let staged = "every thread's accumulator into shared memory".to_owned();
        let present = self.guarded().then(|| self.present.clone());
        let slots = self.slots(combine, addressing, tree, present);
        self.body.extend([
            Stmt::Note(self.part(Part::Stage), staged),
            Stmt::Store(slots.place(Expr::Thread), self.acc().get()),
            Stmt::Barrier(Barrier::Block),
        ]);
        self.note(Part::Tree, &Step::Combine(combine), super::words(combine));
        self.body.extend(slots.steps());
        self.lanes.clear();
    }

    /// Combines the items of the block in place. Absent items are left out, because there is no fill in the workspace.
    pub(super) fn tree_in_place(&mut self, combine: Combine, addressing: Addressing) {
        self.note(Part::Tree, &Step::Combine(combine), super::words(combine));
        let present = Some(count().get());
        let tree = Buffer::Items;
        let slots = self.slots(combine, addressing, tree, present);
        if slots.own() != Expr::Thread {
            self.body.push(Stmt::Let(slots.index(""), Expr::from(2).times(Expr::Thread)));
        }
        self.body.extend(slots.steps());
        self.lanes.clear();
    }

    fn slots(&self, combine: Combine, addressing: Addressing, tree: Buffer, present: Option<Expr>) -> Slots {
        let wide = self.program.operation.acc.size() >= 8;
        Slots { combine, addressing, tree, ty: Ty::Acc, present, wide, suffix: self.suffix }
    }

    /// Returns the root of a tree in memory: its first item.
    pub(super) fn root(&mut self) -> Place {
        match self.kernel.in_place() {
            Some(_) => Buffer::Items.at(super::first().get()),
            None => self.shared_array(TREE, "BLOCK").at(Expr::from(0)),
        }
    }
}

impl Slots {
    fn steps(&self) -> Vec<Stmt> {
        match (self.combine.tree, self.combine.last_warp) {
            (Tree::Halving, true) => [self.block_steps(), vec![self.last_warp()]].concat(),
            _ => self.range(1),
        }
    }

    /// Returns the steps of more than one warp, before the last warp continues alone.
    fn block_steps(&self) -> Vec<Stmt> {
        if self.combine.items > 2 * Program::WARP { self.range(2 * Program::WARP) } else { Vec::new() }
    }

    /// Returns the steps whose stride is at least `least`: a loop, or one copy of the step for each stride.
    fn range(&self, least: u32) -> Vec<Stmt> {
        if self.combine.lowering != Lowering::Unrolled {
            return vec![self.looped(least)];
        }
        let mut strides = self.combine.tree.strides(self.combine.items);
        strides.retain(|&stride| stride >= least);
        // No barrier after the very last step: thread 0 reads the root, and wrote it itself.
        let last = strides.last().copied().filter(|_| least == 1);
        let step = |stride: u32| {
            let barrier = (Some(stride) != last).then_some(Barrier::Block);
            self.step(stride.into(), &format!("_{stride}"), barrier)
        };
        strides.into_iter().flat_map(step).collect()
    }

    fn looped(&self, least: u32) -> Stmt {
        let stride = Local::new("stride", Ty::U32);
        let (half, all) = if self.in_place() {
            (Expr::Named("BLOCK"), "TILE")
        } else {
            (Expr::Named("BLOCK").over(2), "BLOCK")
        };
        let (from, test, next) = match self.combine.tree {
            Tree::Pairs => (1.into(), stride.get().below(Expr::Named(all)), stride.get().times(2)),
            Tree::Halving | Tree::Serial | Tree::Any => {
                (half, Expr::from(least / 2).below(stride.get()), stride.get().over(2))
            }
        };
        let body = self.step(stride.get(), "", Some(Barrier::Block));
        Stmt::For(Box::new(Loop { from, test, next, unroll: Unroll::Unsaid, body, local: stride }))
    }

    /// Returns the steps inside the first warp, unrolled. Its lanes need not run in lockstep, so warp barriers separate
    /// the steps.
    fn last_warp(&self) -> Stmt {
        let widest = (self.combine.items / 2).min(Program::WARP);
        let step = |stride: u32| {
            let barrier = (stride > 1).then_some(Barrier::Warp(FULL));
            self.step(stride.into(), &format!("_{stride}"), barrier)
        };
        let strides = Tree::Halving.strides(2 * widest);
        Stmt::when(Expr::Thread.below(Program::WARP), strides.into_iter().flat_map(step).collect())
    }

    /// Returns one step: active threads combine their item with the item a stride further up.
    fn step(&self, stride: Expr, suffix: &str, barrier: Option<Barrier>) -> Vec<Stmt> {
        let own = self.own_at(suffix);
        let other = own.clone().plus(stride.clone());
        let [left, right] = ["left", "right"].map(|side| self.local(&format!("{side}{suffix}"), self.ty));
        let pair = vec![
            Stmt::Load(left.clone(), self.place(own.clone())),
            Stmt::Load(right.clone(), self.place(other.clone())),
            Stmt::Store(self.place(own.clone()), left.get().combine(right.get())),
        ];
        let in_bounds = self.present.clone().map(|items| other.below(items));
        let test = self.active(&stride, own).into_iter().chain(in_bounds).reduce(Expr::and);
        let named =
            self.has_index().then(|| Stmt::Let(self.index(suffix), twice(&stride).times(Expr::Thread)));
        let pair = test.map_or(pair.clone(), |test| vec![Stmt::when(test, pair)]);
        named.into_iter().chain(pair).chain(barrier.map(Stmt::Barrier)).collect()
    }

    /// Returns the condition of the active threads. `None`: all threads are active.
    fn active(&self, stride: &Expr, own: Expr) -> Option<Expr> {
        let period = if self.in_place() { stride.clone() } else { twice(stride) };
        let all = period == Expr::from(1);
        match self.addressing {
            Addressing::Modulo => (!all).then(|| Expr::Thread.bin(Bin::Rem, period).equals(0)),
            Addressing::Bitmask => (!all).then(|| Expr::Thread.bin(Bin::And, less_one(&period)).equals(0)),
            Addressing::StridedIndex | Addressing::Swizzled => {
                let items = if self.in_place() { "TILE" } else { "BLOCK" };
                (!all).then(|| own.below(Expr::Named(items)))
            }
            Addressing::Sequential => {
                (!self.is_first_of_last_warp(stride)).then(|| Expr::Thread.below(stride.clone()))
            }
        }
    }

    /// Returns whether this is the first step of the last warp, in which all of its threads are active.
    fn is_first_of_last_warp(&self, stride: &Expr) -> bool {
        self.combine.last_warp && *stride == Expr::from(Program::WARP)
    }

    /// Returns the item of a thread, if it is the same in every step.
    fn own(&self) -> Expr {
        match (self.addressing, self.in_place()) {
            (Addressing::Modulo | Addressing::Bitmask, true) => self.index("").get(),
            _ => Expr::Thread,
        }
    }

    fn own_at(&self, suffix: &str) -> Expr {
        if self.has_index() { self.index(suffix).get() } else { self.own() }
    }

    /// Returns whether the item of a thread has a new name in each step.
    fn has_index(&self) -> bool {
        matches!(self.addressing, Addressing::StridedIndex | Addressing::Swizzled)
    }

    /// The item of a thread, if it has a name.
    fn index(&self, suffix: &str) -> Local {
        self.local(&format!("index{suffix}"), Ty::U32)
    }

    /// Returns a local, with a name of its own in the last block.
    fn local(&self, name: &str, ty: Ty) -> Local {
        Local::new(format!("{name}{}", self.suffix), ty)
    }

    /// Returns the place of an item. A swizzled item's position is XORed with its row of the banks.
    fn place(&self, index: Expr) -> Place {
        if self.addressing == Addressing::Swizzled {
            let row = index.clone().over(if self.wide { 16 } else { 32 });
            return self.tree.at(index.bin(Bin::Xor, row));
        }
        let in_place = |index: Expr| super::first().get().bin(Bin::Add, index.cast(Scalar::U64));
        self.tree.at(if self.in_place() { in_place(index) } else { index })
    }

    fn in_place(&self) -> bool {
        self.tree == Buffer::Items
    }
}

fn twice(stride: &Expr) -> Expr {
    let literal = if let Expr::Const(value) = stride { Some(value.bits() as u32) } else { None };
    literal.map_or_else(|| Expr::from(2).times(stride.clone()), |stride| Expr::from(2 * stride))
}

fn less_one(period: &Expr) -> Expr {
    let literal = if let Expr::Const(value) = period { Some(value.bits() as u32) } else { None };
    literal.map_or_else(|| period.clone().bin(Bin::Sub, 1), |period| Expr::from(period - 1))
}
