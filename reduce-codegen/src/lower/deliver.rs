//! What becomes of a block's accumulator: a partial for the next launch, or the result.

use super::Lowerer;
use super::locals::{count, first, zero};
use reduce_ir::Scalar;
use reduce_ir::operation::Argument;
use reduce_ir::program::{Exchange, Reads, Scope, Step};
use reduce_ir::statements::{Buffer, Expr, MemoryOrder, Part, Stmt, Ty};

impl Lowerer<'_> {
    /// Thread 0 leaves the result, of a team that exchanges nothing.
    pub(super) fn finish(&mut self) {
        let whose = if self.kernel.cluster() > 1 { "cluster" } else { "block" };
        let note = match self.program.domain.kept {
            0 => format!("finish: there is one {whose}"),
            _ => "finish: the result of the group".to_owned(),
        };
        self.body.push(Stmt::Note(Part::Deliver, note));
        let body = self.finished_result();
        match self.thread() == Expr::from(0) {
            true => self.body.extend(body),
            false => self.body.push(Stmt::when(self.delivers(), body)),
        }
    }

    /// Thread 0 delivers the accumulator of its block, or cluster.
    pub(super) fn deliver(&mut self, exchange: Exchange) {
        let (mut body, acc) = self.acc_of_block();
        let words: &[_] = match exchange {
            Exchange::LastBlock { flags: false } => &["ticket"],
            Exchange::LastBlock { flags: true } => &["ticket", "flag"],
            Exchange::Atomic => &["atomic"],
            Exchange::NextLaunch => &[],
        };
        self.note(
            Part::Deliver,
            &Step::Exchange(exchange),
            words.iter().map(|&word| word.to_owned()).collect(),
        );
        body.push(match exchange {
            Exchange::LastBlock { .. } => return self.ticket(body, acc),
            Exchange::NextLaunch => self.partial_or_result(acc),
            Exchange::Atomic => Stmt::AtomicCombine {
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
        let first = self.thread().equals(0);
        if self.kernel.cluster() > 1 { Expr::Rank.equals(0).and(first) } else { first }
    }

    /// Blocks, or clusters, that deliver.
    pub(super) fn deliverers(&self) -> Expr {
        self.by_cluster(self.members())
    }

    /// Where a block, or cluster, leaves its partial.
    pub(super) fn partial(&self, acc: Expr) -> Stmt {
        let place = Buffer::Partials.at(self.by_cluster(Expr::Block).cast(Scalar::U64));
        if self.kernel.has_flags() { Stmt::Post(place, acc) } else { Stmt::Store(place, acc) }
    }

    fn by_cluster(&self, blocks: Expr) -> Expr {
        if self.kernel.cluster() > 1 { blocks.over(Expr::Named("CLUSTER")) } else { blocks }
    }

    /// The result of the accumulator that thread 0 has.
    pub(super) fn finished_result(&mut self) -> Vec<Stmt> {
        let (mut body, acc) = self.acc_of_block();
        body.push(self.result_of(acc));
        body
    }

    /// The result of an accumulator.
    fn result_of(&self, acc: Expr) -> Stmt {
        Stmt::Store(self.result(), self.finished(acc))
    }

    /// The result, where the block, or cluster, is the only one.
    fn partial_or_result(&self, acc: Expr) -> Stmt {
        let alone = self.has_one_member();
        Stmt::If(alone, vec![self.result_of(acc.clone())], vec![self.partial(acc)])
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

    /// The accumulator of the block, and how its first thread comes by it.
    pub(super) fn acc_of_block(&mut self) -> (Vec<Stmt>, Expr) {
        let acc = self.lanes.first().map(|acc| (Vec::new(), acc.get()));
        acc.unwrap_or_else(|| self.root_of_tree())
    }

    /// The root of a tree in memory. In place, there is none where there is no item.
    fn root_of_tree(&mut self) -> (Vec<Stmt>, Expr) {
        let [total, root] = ["total", "root"].map(|name| self.local(name, Ty::Acc));
        if self.kernel.in_place().is_none() {
            return (vec![Stmt::Load(total.clone(), self.root())], total.get());
        }
        let take = vec![Stmt::Load(root.clone(), self.root()), Stmt::Set(total.clone(), root.get())];
        let there = Expr::from(0).below(count().get());
        (vec![Stmt::Var(total.clone(), Expr::Empty), Stmt::when(there, take)], total.get())
    }
}
