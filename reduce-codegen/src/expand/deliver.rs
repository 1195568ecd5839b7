//! What becomes of a block's accumulator: a partial for the next launch, or the result.

use super::{Expansion, count};
use reduce_dsl::Scalar;
use reduce_dsl::expanded::{Buffer, Expr, Local, MemoryOrder, Part, Stmt, Ty};
use reduce_dsl::operation::Argument;
use reduce_dsl::program::{GridMedium, Reads, Scope, Step};

impl Expansion<'_> {
    /// Thread 0 delivers the block's accumulator.
    pub(super) fn deliver(&mut self, medium: GridMedium) {
        self.note(Part::Deliver, &Step::Grid(medium), Vec::new());
        let (mut body, acc) = match self.lanes.first() {
            Some(acc) => (Vec::new(), acc.get()),
            None => self.root_of_tree(),
        };
        body.push(match medium {
            GridMedium::NextLaunch => self.partial_or_result(acc),
            GridMedium::Atomic => Stmt::AtomicCombine {
                place: Buffer::Partials.at(zero()),
                value: acc,
                order: MemoryOrder::Relaxed,
                scope: Scope::Grid,
            },
        });
        self.body.push(Stmt::when(Expr::Thread.equals(0), body));
    }

    /// Every thread that has an item leaves it.
    pub(super) fn keep(&mut self) {
        self.note(Part::Deliver, &Step::Keep, vec!["in_place".to_owned()]);
        let mine = super::first().get().bin(reduce_dsl::ops::Bin::Add, Expr::Thread.cast(Scalar::U64));
        let store = Stmt::Store(Buffer::Partials.at(mine), self.acc().get());
        self.body.push(Stmt::when(Expr::Thread.below(count().get()), vec![store]));
    }

    /// The result, where the block is the only one.
    fn partial_or_result(&self, acc: Expr) -> Stmt {
        let result = Stmt::Store(Buffer::Result.at(zero()), self.finished(acc.clone()));
        let partial = Stmt::Store(Buffer::Partials.at(Expr::Block.cast(Scalar::U64)), acc);
        Stmt::If(Expr::Grid.equals(1), vec![result], vec![partial])
    }

    fn finished(&self, acc: Expr) -> Expr {
        let operation = &self.program.operation;
        let given = |argument: &Argument| match *argument {
            Argument::Count => Some(match self.kernel.reads {
                Reads::Inputs => Expr::Items,
                Reads::Partials => Expr::Elements,
            }),
            Argument::Param(param) => Some(Expr::Param(param, operation.params[param].ty)),
            Argument::Acc(_) | Argument::Input(_) | Argument::Index | Argument::Step => None,
        };
        Expr::Finish(Box::new(acc), operation.finish_arguments().iter().filter_map(given).collect())
    }

    /// The root of a tree in memory. In place, there is none where there is no item.
    fn root_of_tree(&self) -> (Vec<Stmt>, Expr) {
        let [total, root] = ["total", "root"].map(|name| Local::new(name, Ty::Acc));
        if self.kernel.in_place().is_none() {
            return (vec![Stmt::Load(total.clone(), self.root())], total.get());
        }
        let take = vec![Stmt::Load(root.clone(), self.root()), Stmt::Set(total.clone(), root.get())];
        let there = Expr::from(0).below(count().get());
        (vec![Stmt::Var(total.clone(), Expr::Empty), Stmt::when(there, take)], total.get())
    }
}

fn zero() -> Expr {
    Expr::Const(reduce_dsl::Value::of(0u64))
}
