//! Folds whose length is not in the program: a grid goes over the whole input, or one thread does.

use super::fold::{Access, Joins, Unit};
use super::{Expansion, first};
use reduce_dsl::Scalar;
use reduce_dsl::expanded::{Expr, Local, Loop, Stmt, Ty};
use reduce_dsl::ops::Bin;

impl Expansion<'_> {
    /// Every unit that the thread comes across: a round of the grid after another.
    pub(super) fn grid_stride(&self) -> Vec<Stmt> {
        let width = self.lanes.len() as u32;
        let mine = if width == 1 { Expr::Thread } else { Expr::Thread.times(Expr::Named("WIDTH")) };
        let from = first().get().bin(Bin::Add, mine.cast(Scalar::U64));
        let stride = Expr::Named("STRIDE").cast(Scalar::U64);
        self.rounds(from, stride, |at| self.round(at))
    }

    /// A unit, as vectors where all of it is there and the data is aligned.
    fn round(&self, at: &Local) -> Vec<Stmt> {
        let in_first_round = at.get().below(Expr::Named("STRIDE").cast(Scalar::U64));
        let items = |access| {
            let joins = self.joins(&in_first_round);
            self.items(&Unit { at: at.get(), access, joins }, "")
        };
        if self.lanes.len() == 1 {
            return items(Access::Items);
        }
        let end = at.get().bin(Bin::Add, Expr::Named("WIDTH").cast(Scalar::U64));
        let whole = Expr::Cmp(reduce_dsl::ops::Cmp::Le, Box::new(end), Box::new(Expr::Items));
        let vectors = self.aligned().fold(whole, Expr::and);
        vec![Stmt::If(vectors, items(Access::Vectors), items(Access::Guarded))]
    }

    /// Everything, in thread 0.
    pub(super) fn everything(&self) -> Vec<Stmt> {
        let body = self.rounds(number(0), number(1), |at| {
            let joins = self.joins(&at.get().equals(number(0)));
            self.items(&Unit { at: at.get(), access: Access::Items, joins }, "")
        });
        vec![Stmt::when(Expr::Thread.equals(0), body)]
    }

    fn rounds(&self, from: Expr, stride: Expr, body: impl Fn(&Local) -> Vec<Stmt>) -> Vec<Stmt> {
        let at = Local::new("at", Ty::U64);
        vec![Stmt::For(Box::new(Loop {
            from,
            test: at.get().below(Expr::Items),
            next: at.get().bin(Bin::Add, stride),
            unroll: false,
            body: body(&at),
            local: at,
        }))]
    }

    /// Without an identity, the first item of a lane is assigned.
    fn joins(&self, is_first: &Expr) -> Joins {
        if self.guarded() { Joins::AssignedIf(is_first.clone()) } else { Joins::Combined }
    }
}

fn number(value: u64) -> Expr {
    Expr::Const(reduce_dsl::Value::of(value))
}
