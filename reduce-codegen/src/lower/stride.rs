//! Folds whose length is not in the program: by a grid over the whole input, by one block, or by one thread.

use super::Lowerer;
use super::locals::{first, number};
use super::unit::{Before, Loads, Unit};
use crate::tuning::PARTIALS_IN_FLIGHT;
use reduce_ir::Scalar;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::{Arrangement, Fold, Reads};
use reduce_ir::statements::{Expr, Local, Loop, Stmt, Ty, Unroll};

impl Lowerer<'_> {
    /// Folds every unit of the thread: one in each round of the grid.
    pub(super) fn grid_stride(&self) -> Vec<Stmt> {
        let wide = self.kernel.fold().width > 1;
        let mine = if wide { self.thread().times(Expr::Named("WIDTH")) } else { self.thread() };
        let from = first().get().bin(Bin::Add, mine.cast(Scalar::U64));
        let stride = Expr::Named("STRIDE").cast(Scalar::U64);
        let rounds = at().get().bin(Bin::Sub, self.at_first().get()).over(stride.clone());
        let before = match self.kernel.fold().items_of_a_lane() {
            1 => rounds,
            items => rounds.times(number(items.into())),
        };
        self.rounds([from, stride, before], self.end(), Unroll::Unsaid, |at, before, suffix| {
            self.round(at, before, suffix)
        })
    }

    /// Folds all partials with the threads of one block. The partials of a thread are a block apart, or a consecutive
    /// run.
    pub(super) fn one_block(&self, fold: Fold) -> Vec<Stmt> {
        let block = Expr::Named("BLOCK").cast(Scalar::U64);
        let done = at().get().bin(Bin::Sub, self.at_first().get());
        let (mut body, [from, stride, rounds], end) = match fold.arrangement {
            Arrangement::Striped => {
                let numbers = [Expr::Thread.cast(Scalar::U64), block.clone(), done.over(block)];
                (Vec::new(), numbers, self.end())
            }
            Arrangement::Blocked => {
                let (runs, [from, end]) = self.run_of_thread(block);
                (runs, [from, number(1), done], end)
            }
        };
        let several = self.has_several_in_flight(fold);
        if several && !self.guarded() {
            body.push(self.partials_at_once(from, end));
            return body;
        }
        let unroll = if several { Unroll::By(PARTIALS_IN_FLIGHT) } else { self.unrolling(fold) };
        body.extend(self.rounds([from, stride, rounds], end, unroll, |at, before, suffix| {
            self.items(&Unit::whole(at, Loads::Items, before), suffix)
        }));
        body
    }

    /// Returns whether a thread loads [`PARTIALS_IN_FLIGHT`] partials at once. They must be small, because each takes
    /// registers. No other work hides their latency. Partials with flags cannot be loaded at once: the thread waits for
    /// each.
    fn has_several_in_flight(&self, fold: Fold) -> bool {
        let flags = self.in_last_block() && self.program.kernel(Reads::Inputs).has_flags();
        let small = self.program.operation.acc.size() <= 32;
        fold.hints.unrolled && fold.arrangement == Arrangement::Striped && !flags && small
    }

    /// Folds all partials of a thread, several in one turn. Absent ones are the fill, so the loads of the last turn do
    /// not wait for each other either (docs/decisions.md).
    fn partials_at_once(&self, from: Expr, end: Expr) -> Stmt {
        let (part, place) = (Local::new("part", Ty::U32), Local::new("at_part", Ty::U64));
        let block = || Expr::Named("BLOCK");
        let [item, loaded] = ["item", "loaded"].map(|name| Local::new(name, Ty::Acc));
        let load = vec![
            Stmt::Load(loaded.clone(), self.partials.0.at(place.get())),
            Stmt::Set(item.clone(), loaded.get()),
        ];
        let body = vec![
            Stmt::Let(place.clone(), at().get().bin(Bin::Add, part.get().times(block()).cast(Scalar::U64))),
            Stmt::Var(item.clone(), Expr::Empty),
            Stmt::when(place.get().below(end.clone()), load),
            Stmt::Set(self.acc().clone(), self.acc().get().combine(item.get())),
        ];
        let turn = Stmt::For(Box::new(Loop {
            from: 0.into(),
            test: part.get().below(PARTIALS_IN_FLIGHT),
            next: part.get().plus(1),
            unroll: Unroll::All,
            body,
            local: part,
        }));
        Stmt::For(Box::new(Loop {
            from,
            test: at().get().below(end),
            next: at().get().bin(Bin::Add, block().times(PARTIALS_IN_FLIGHT).cast(Scalar::U64)),
            unroll: Unroll::Unsaid,
            body: vec![turn],
            local: at(),
        }))
    }

    /// Returns declarations, and the begin and end of a thread's run. All runs have the same number of items, except
    /// that the first ones have one more.
    fn run_of_thread(&self, block: Expr) -> (Vec<Stmt>, [Expr; 2]) {
        let [share, longer, end] =
            ["run_share", "longer_runs", "run_end"].map(|name| self.local(name, Ty::U64));
        let begin = |thread: Expr| {
            let run = thread.cast(Scalar::U64);
            run.clone().times(share.get()).bin(Bin::Add, run.bin(Bin::Min, longer.get()))
        };
        let runs = vec![
            Stmt::Let(share.clone(), self.end().over(block.clone())),
            Stmt::Let(longer.clone(), self.end().bin(Bin::Rem, block)),
            Stmt::Let(end.clone(), begin(Expr::Thread.plus(1))),
        ];
        (runs, [begin(Expr::Thread), end.get()])
    }

    /// Declares the number of threads of one block that have an item, if the operation has no fill.
    pub(super) fn threads_with_items(&mut self) {
        if self.guarded() {
            let count = self.local("count", Ty::U32);
            let all = Expr::Named("BLOCK").cast(Scalar::U64);
            let some = self.partials.1.clone().bin(Bin::Min, all).cast(Scalar::U32);
            self.body.push(Stmt::Let(count.clone(), some));
            self.present = count.get();
        }
    }

    /// Folds a unit: by vectors if all of its items exist and the data is aligned, otherwise item by item.
    fn round(&self, at: &Expr, before: Before, suffix: &str) -> Vec<Stmt> {
        let items = |access| self.items(&Unit::whole(at, access, before.clone()), suffix);
        if self.kernel.fold().width == 1 {
            return items(Loads::Items);
        }
        let end = at.clone().bin(Bin::Add, Expr::Named("WIDTH").cast(Scalar::U64));
        let whole = Expr::Cmp(Cmp::Le, Box::new(end), Box::new(Expr::Items));
        if !self.has_vectors() {
            return vec![Stmt::If(whole, items(Loads::Items), items(Loads::Guarded))];
        }
        let vectors = self.aligned().fold(whole, Expr::and);
        vec![Stmt::If(vectors, items(Loads::Vectors), items(Loads::Guarded))]
    }

    /// Folds all items in thread 0.
    pub(super) fn single_thread(&self) -> Vec<Stmt> {
        let numbers = [number(0), number(1), at().get()];
        let body = self.rounds(numbers, self.end(), Unroll::Unsaid, |at, before, suffix| {
            self.items(&Unit::whole(at, Loads::Items, before), suffix)
        });
        vec![Stmt::when(Expr::Thread.equals(0), body)]
    }

    /// Folds the units at `from`, `from + stride`, … before `end`. Each lane holds `before` items before the unit `at`.
    /// If lanes begin with an item, the first unit is read before the loop.
    fn rounds(
        &self,
        [from, stride, before]: [Expr; 3],
        end: Expr,
        unroll: Unroll,
        unit: impl Fn(&Expr, Before, &str) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let (mut body, at_first) = (Vec::new(), self.at_first());
        let mut start = from.clone();
        if self.begins_with_item() {
            let begin = unit(&at_first.get(), Before::Nothing, "_first");
            let exists = at_first.get().below(end.clone());
            body.extend([Stmt::Let(at_first.clone(), from), Stmt::when(exists, begin)]);
            start = at_first.get().bin(Bin::Add, stride.clone());
        }
        body.push(Stmt::For(Box::new(Loop {
            from: start,
            test: at().get().below(end),
            next: at().get().bin(Bin::Add, stride),
            unroll,
            body: unit(&at().get(), Before::Items(before), ""),
            local: at(),
        })));
        body
    }

    /// Returns the number of all items.
    fn end(&self) -> Expr {
        if self.kernel.reads == Reads::Partials { self.partials.1.clone() } else { Expr::Items }
    }

    /// The position of the thread's first unit.
    fn at_first(&self) -> Local {
        self.local("at_first", Ty::U64)
    }
}

/// The position of a unit in the group.
fn at() -> Local {
    Local::new("at", Ty::U64)
}
