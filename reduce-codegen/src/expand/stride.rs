//! Folds whose length is not in the program: a grid goes over the whole input, or one thread does.

use super::fold::{Access, Unit};
use super::{Expansion, first};
use reduce_dsl::Scalar;
use reduce_dsl::expanded::{Expr, Local, Loop, Stmt, Ty};
use reduce_dsl::ops::{Bin, Cmp};

impl Expansion<'_> {
    /// Every unit that the thread comes across: a round of the grid after another.
    pub(super) fn grid_stride(&self) -> Vec<Stmt> {
        let mine =
            if self.lanes.len() == 1 { Expr::Thread } else { Expr::Thread.times(Expr::Named("WIDTH")) };
        let from = first().get().bin(Bin::Add, mine.cast(Scalar::U64));
        let stride = Expr::Named("STRIDE").cast(Scalar::U64);
        self.rounds(from, stride, |at, assign, suffix| self.round(at, assign, suffix))
    }

    /// A unit, as vectors where all of it is there and the data is aligned.
    fn round(&self, at: &Expr, assign: bool, suffix: &str) -> Vec<Stmt> {
        let items = |access| self.items(&Unit { at: at.clone(), access, assign }, suffix);
        if self.lanes.len() == 1 {
            return items(Access::Items);
        }
        let end = at.clone().bin(Bin::Add, Expr::Named("WIDTH").cast(Scalar::U64));
        let whole = Expr::Cmp(Cmp::Le, Box::new(end), Box::new(Expr::Items));
        let vectors = self.aligned().fold(whole, Expr::and);
        vec![Stmt::If(vectors, items(Access::Vectors), items(Access::Guarded))]
    }

    /// Everything, in thread 0.
    pub(super) fn everything(&self) -> Vec<Stmt> {
        let body = self.rounds(number(0), number(1), |at, assign, suffix| {
            self.items(&Unit { at: at.clone(), access: Access::Items, assign }, suffix)
        });
        vec![Stmt::when(Expr::Thread.equals(0), body)]
    }

    /// The units at `from`, `from + stride`, … Without an identity, the first one is assigned and not combined.
    fn rounds(&self, from: Expr, stride: Expr, unit: impl Fn(&Expr, bool, &str) -> Vec<Stmt>) -> Vec<Stmt> {
        let [at, at_first] = ["at", "at_first"].map(|name| Local::new(name, Ty::U64));
        let mut body = Vec::new();
        let mut start = from.clone();
        if self.guarded() {
            let begin = unit(&at_first.get(), true, "_first");
            let there = at_first.get().below(Expr::Items);
            body.extend([Stmt::Let(at_first.clone(), from), Stmt::when(there, begin)]);
            start = at_first.get().bin(Bin::Add, stride.clone());
        }
        body.push(Stmt::For(Box::new(Loop {
            from: start,
            test: at.get().below(Expr::Items),
            next: at.get().bin(Bin::Add, stride),
            unroll: false,
            body: unit(&at.get(), false, ""),
            local: at,
        })));
        body
    }
}

fn number(value: u64) -> Expr {
    Expr::Const(reduce_dsl::Value::of(value))
}
