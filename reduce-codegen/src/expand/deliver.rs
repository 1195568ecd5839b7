//! What becomes of a block's accumulator: a partial for the next launch, or the result.

use super::{Expansion, count, first};
use reduce_ir::Scalar;
use reduce_ir::expanded::{Buffer, Expr, Local, MemoryOrder, Part, Stmt, Ty};
use reduce_ir::operation::Argument;
use reduce_ir::program::{GridMedium, Reach, Reads, Scope, Step};

impl Expansion<'_> {
    /// Thread 0 delivers the accumulator of its block, or cluster.
    pub(super) fn deliver(&mut self, medium: GridMedium) {
        if self.is_alone() {
            let whose = if self.kernel.cluster() > 1 { "cluster" } else { "block" };
            self.body.push(Stmt::Note(Part::Deliver, format!("finish: there is one {whose}")));
            let body = self.result();
            return self.body.push(Stmt::when(self.delivers(), body));
        }
        let (mut body, acc) = self.of_block();
        let words: &[_] = match medium {
            GridMedium::Ticket => &["ticket"],
            GridMedium::Flags => &["ticket", "flag"],
            GridMedium::Atomic => &["atomic"],
            GridMedium::NextLaunch => &[],
        };
        self.note(Part::Deliver, &Step::Grid(medium), words.iter().map(|&word| word.to_owned()).collect());
        body.push(match medium {
            GridMedium::Ticket | GridMedium::Flags => return self.ticket(body, acc),
            GridMedium::NextLaunch => self.partial_or_result(acc),
            GridMedium::Atomic => Stmt::AtomicCombine {
                place: Buffer::Partials.at(zero()),
                value: acc,
                order: MemoryOrder::Relaxed,
                scope: Scope::Grid,
            },
        });
        self.body.push(Stmt::when(self.delivers(), body));
    }

    /// Every thread that has an item leaves it.
    pub(super) fn keep(&mut self) {
        self.note(Part::Deliver, &Step::Keep, vec!["in_place".to_owned()]);
        let mine = first().get().bin(reduce_ir::ops::Bin::Add, Expr::Thread.cast(Scalar::U64));
        let store = Stmt::Store(Buffer::Partials.at(mine), self.acc().get());
        self.body.push(Stmt::when(Expr::Thread.below(count().get()), vec![store]));
    }

    /// The thread that has the accumulator of its block, or cluster.
    pub(super) fn delivers(&self) -> Expr {
        let first = Expr::Thread.equals(0);
        if self.kernel.cluster() > 1 { Expr::Rank.equals(0).and(first) } else { first }
    }

    /// Blocks, or clusters, that deliver.
    pub(super) fn deliverers(&self) -> Expr {
        self.by_cluster(Expr::Grid)
    }

    /// Where a block, or cluster, leaves its partial.
    pub(super) fn partial(&self, acc: Expr) -> Stmt {
        let place = Buffer::Partials.at(self.by_cluster(Expr::Block).cast(Scalar::U64));
        if self.kernel.has_flags() { Stmt::Post(place, acc) } else { Stmt::Store(place, acc) }
    }

    /// Does this kernel have one block, or cluster, whatever n?
    pub(super) fn is_alone(&self) -> bool {
        match self.kernel.reads {
            Reads::Inputs => !self.kernel.is_atomic() && self.program.is_alone(),
            Reads::Partials => matches!(self.kernel.fold().reach, Reach::OneBlock | Reach::Everything),
        }
    }

    /// Does this kernel have one block, and one tile, which begins with the first element, whatever n?
    pub(super) fn is_single(&self) -> bool {
        self.is_alone() && self.kernel.cluster() == 1 && self.kernel.fold().units().is_some()
    }

    fn by_cluster(&self, blocks: Expr) -> Expr {
        if self.kernel.cluster() > 1 { blocks.over(Expr::Named("CLUSTER")) } else { blocks }
    }

    /// The result of the accumulator that thread 0 has.
    pub(super) fn result(&mut self) -> Vec<Stmt> {
        let (mut body, acc) = self.acc_of_block();
        body.extend(self.result_of(acc));
        body
    }

    /// The result of an accumulator, whose positions count from the first element of all if they are near.
    fn result_of(&self, acc: Expr) -> Vec<Stmt> {
        let (mut body, acc) = if acc.ty() == Some(Ty::Near) { self.far(acc) } else { (Vec::new(), acc) };
        body.push(Stmt::Store(Buffer::Result.at(zero()), self.finished(acc)));
        body
    }

    /// The result, where the block, or cluster, is the only one.
    fn partial_or_result(&self, acc: Expr) -> Stmt {
        let alone = self.deliverers().equals(1);
        Stmt::If(alone, self.result_of(acc.clone()), vec![self.partial(acc)])
    }

    fn finished(&self, acc: Expr) -> Expr {
        let operation = &self.program.operation;
        let elements = self.kernel.reads == Reads::Partials && !self.in_last_block();
        let given = |argument: &Argument| match *argument {
            Argument::Count => Some(if elements { Expr::Elements } else { Expr::Items }),
            Argument::Param(param) => Some(Expr::Param(param, operation.params[param].ty)),
            Argument::Acc(_) | Argument::Input(_) | Argument::Index | Argument::Step => None,
        };
        Expr::Finish(Box::new(acc), operation.finish_arguments().iter().filter_map(given).collect())
    }

    /// What the block leaves of its accumulator, and how its first thread comes by it.
    pub(super) fn of_block(&mut self) -> (Vec<Stmt>, Expr) {
        let (mut body, acc) = self.acc_of_block();
        if !self.near || self.program.has_near_partials() {
            return (body, acc);
        }
        let (more, far) = self.far(acc);
        body.extend(more);
        (body, far)
    }

    fn acc_of_block(&mut self) -> (Vec<Stmt>, Expr) {
        let acc = self.lanes.first().map(|acc| (Vec::new(), acc.get()));
        acc.unwrap_or_else(|| self.root_of_tree())
    }

    /// An accumulator with positions of 64 bits.
    fn far(&self, acc: Expr) -> (Vec<Stmt>, Expr) {
        let far = Local::new("acc_far", Ty::Acc);
        let origin = if self.program.has_near_partials() { zero() } else { first().get() };
        (vec![Stmt::Let(far.clone(), Expr::Far(Box::new(acc), Box::new(origin)))], far.get())
    }

    /// The root of a tree in memory. In place, there is none where there is no item.
    fn root_of_tree(&mut self) -> (Vec<Stmt>, Expr) {
        let [total, root] = ["total", "root"].map(|name| self.local(name, self.acc_type()));
        if self.kernel.in_place().is_none() {
            return (vec![Stmt::Load(total.clone(), self.root())], total.get());
        }
        let take = vec![Stmt::Load(root.clone(), self.root()), Stmt::Set(total.clone(), root.get())];
        let there = Expr::from(0).below(count().get());
        (vec![Stmt::Var(total.clone(), self.empty()), Stmt::when(there, take)], total.get())
    }
}

pub(super) fn zero() -> Expr {
    Expr::Const(reduce_ir::Value::of(0u64))
}
