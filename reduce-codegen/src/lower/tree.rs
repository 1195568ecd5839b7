//! Trees through registers and shuffles, as a loop or unrolled.

use super::Lowerer;
use super::locals::count;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Arrangement, Combine, Fold, Lowering, Program, Scope, Size, Tree};
use reduce_ir::statements::{Expr, FULL, Local, Loop, Stmt, Ty, Unroll};

impl Lowerer<'_> {
    /// Combines the lanes of a thread, the rows of a warp, or the logical warps of a block, pair by pair.
    pub(super) fn lanes_tree(&mut self, combine: Combine) {
        for stride in combine.tree.strides(combine.items) {
            let (end, step) =
                if combine.tree == Tree::Pairs { (combine.items, 2 * stride) } else { (stride, 1) };
            for lane in (0..end).step_by(step as usize) {
                let stmt = self.lane_pair(combine.scope, lane, lane + stride);
                self.body.push(stmt);
            }
        }
        let acc = self.local("acc", Ty::Acc);
        self.body.push(Stmt::Var(acc.clone(), self.lanes[0].get()));
        self.lanes = vec![acc];
        if combine.scope == Scope::Warp {
            let units = Expr::Named("UNITS");
            self.present = self.present.clone().plus(units.clone().bin(Bin::Sub, 1)).over(units);
        }
    }

    /// Declares the number of threads that have an item, if the operation has no fill. Striped, thread t has an item if
    /// unit t has one. Blocked, it does if the first of its units has one. In rows, the number counts units instead of
    /// threads.
    pub(super) fn threads_with_an_item(&mut self, fold: Fold) {
        let all = items_of_thread(fold);
        // The first logical thread has declared it for all.
        let named = self.is_logical() && self.present != count().get();
        let alone = self.is_logical() && self.has_one_turn();
        if let Some(all) = all.filter(|_| self.guarded() && !named && !alone) {
            let present = Local::new("present", Ty::U32);
            self.body.push(Stmt::Let(present.clone(), rounded_up(all)));
            self.present = present.get();
        }
    }

    /// Returns the number of threads of the association that have an item.
    pub(super) fn threads_present(&self) -> Expr {
        items_of_thread(self.kernel.fold()).map_or(count().get(), rounded_up)
    }

    pub(super) fn lane_pair(&self, scope: Scope, left: u32, right: u32) -> Stmt {
        let [a, b] = [left, right].map(|lane| self.lanes[lane as usize].clone());
        let set = Stmt::Set(a.clone(), a.get().combine(b.get()));
        let exists = match scope {
            Scope::Warp => self.unit_of_row(right).below(self.present.clone()),
            Scope::Block if self.is_logical() => {
                let started = Expr::from(right * Program::WARP).below(self.present.clone());
                self.thread().equals(0).and(started)
            }
            Scope::Thread | Scope::Block | Scope::Cluster | Scope::Grid => {
                self.thread().times(Expr::Named("WIDTH")).plus(right).below(count().get())
            }
        };
        if self.guarded() { Stmt::when(exists, vec![set]) } else { set }
    }

    /// Combines the accumulators of a warp's lanes, in lane 0, by halving or pairs. If there are rows, it does this for
    /// each row. The first `present` items are there, counted from thread 0. By pairs, only lanes at multiples of twice
    /// the stride hold values that the next step needs. [`Lowering::WarpReduce`] replaces the tree by an instruction,
    /// which gives the result to all lanes.
    pub(super) fn shuffle_tree(&mut self, combine: Combine, present: Expr) {
        if combine.lowering == Lowering::WarpReduce {
            let redux = |(row, acc): (u32, &Local)| {
                let exists = self.guarded().then(|| self.unit_of_row(row).below(present.clone()));
                Stmt::Redux(acc.clone(), exists)
            };
            let all: Vec<_> = (0..).zip(&self.lanes).map(redux).collect();
            return self.body.extend(all);
        }
        let step = |stride: Expr, suffix: &str| self.shuffle_step(combine.scope, stride, suffix, &present);
        let stmts = if combine.lowering == Lowering::Unrolled {
            let strides = combine.tree.strides(combine.items);
            let strides = strides.into_iter().filter(|&stride| stride < self.lanes_of_team());
            strides.flat_map(|stride| step(stride.into(), &format!("_{stride}"))).collect()
        } else {
            let stride = Local::new("stride", Ty::U32);
            let (from, test, next) = match combine.tree {
                Tree::Pairs => (1.into(), stride.get().below(self.shuffled(combine)), stride.get().times(2)),
                Tree::Halving | Tree::Serial | Tree::Any => {
                    let half = match self.kernel.team.size {
                        Size::Lanes(lanes) => (lanes / 2).into(),
                        Size::Thread | Size::Warp | Size::Block | Size::Cluster | Size::Grid { .. } => {
                            half_of(combine)
                        }
                    };
                    (half, Expr::from(0).below(stride.get()), stride.get().over(2))
                }
            };
            let body = step(stride.get(), "");
            vec![Stmt::For(Box::new(Loop { from, test, next, unroll: Unroll::Unsaid, body, local: stride }))]
        };
        self.body.extend(stmts);
    }

    /// Returns the number of lanes among which shuffles combine.
    pub(super) fn lanes_of_team(&self) -> u32 {
        if let Size::Lanes(lanes) = self.kernel.team.size { lanes } else { Program::WARP }
    }

    /// Returns the number of items that shuffles combine.
    fn shuffled(&self, combine: Combine) -> Expr {
        if let Size::Lanes(lanes) = self.kernel.team.size { lanes.into() } else { items(combine) }
    }

    fn shuffle_step(&self, scope: Scope, stride: Expr, suffix: &str, present: &Expr) -> Vec<Stmt> {
        let whose = match scope {
            Scope::Thread | Scope::Warp | Scope::Grid => "other",
            Scope::Block => "other_warp",
            Scope::Cluster => "other_block",
        };
        let of_row = |(row, acc): (u32, &Local)| {
            let number = if self.lanes.len() > 1 { format!("_{row}") } else { String::new() };
            let other = self.local(&format!("{whose}{suffix}{number}"), Ty::Acc);
            let (into, value, down) = (other.clone(), acc.get(), stride.clone());
            let shuffle = Stmt::Shuffle { into, value, down, mask: FULL };
            let set = Stmt::Set(acc.clone(), acc.get().combine(other.get()));
            let exists = self.unit_of_row(row).plus(stride.clone()).below(present.clone());
            [shuffle, if self.guarded() { Stmt::when(exists, vec![set]) } else { set }]
        };
        (0..).zip(&self.lanes).flat_map(of_row).collect()
    }
}

/// Returns the number of items that a tree combines, by the constant that counts them.
fn items(combine: Combine) -> Expr {
    match combine.scope {
        Scope::Thread | Scope::Warp | Scope::Grid => combine.items.into(),
        Scope::Block => Expr::Named("WARPS"),
        Scope::Cluster => Expr::Named("CLUSTER"),
    }
}

/// Returns half of this number.
fn half_of(combine: Combine) -> Expr {
    match combine.scope {
        Scope::Thread | Scope::Warp | Scope::Grid => (combine.items / 2).into(),
        Scope::Block | Scope::Cluster => items(combine).over(2),
    }
}

/// Returns the number of consecutive items of a thread, if there are several.
fn items_of_thread(fold: Fold) -> Option<Expr> {
    let units = match fold.arrangement {
        Arrangement::Striped => 1,
        Arrangement::Blocked if fold.in_rows => 1,
        Arrangement::Blocked => fold.units().unwrap_or(1),
    };
    let constants = [("UNITS", units), ("WIDTH", fold.width)].into_iter().filter(|&(_, items)| items > 1);
    constants.map(|(name, _)| Expr::Named(name)).reduce(Expr::times)
}

/// Returns the number of parts that hold `items` items. The last part may be shorter.
fn rounded_up(items: Expr) -> Expr {
    count().get().plus(items.clone().bin(Bin::Sub, 1)).over(items)
}
