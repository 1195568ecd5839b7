//! Delivery of a block's accumulator: as a partial for the next launch, or as the result.

use super::Lowerer;
use super::locals::{count, first, zero};
use reduce_ir::Scalar;
use reduce_ir::operation::Argument;
use reduce_ir::program::{Exchange, Reads, Scope, Step};
use reduce_ir::statements::{Buffer, Expr, MemoryOrder, Part, Stmt, Ty};

impl Lowerer<'_> {
    /// Stores the result in thread 0, for a team without an exchange.
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

    /// Delivers the accumulator of the block or cluster, in thread 0.
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

    /// Stores the accumulator of every thread that has an item.
    pub(super) fn keep(&mut self) {
        self.note(Part::Deliver, &Step::Keep, vec!["in_place".to_owned()]);
        let mine = first().get().bin(reduce_ir::ops::Bin::Add, Expr::Thread.cast(Scalar::U64));
        let store = Stmt::Store(Buffer::Partials.at(mine), self.acc().get());
        self.body.push(Stmt::when(Expr::Thread.below(count().get()), vec![store]));
    }

    /// Returns the condition for the thread that holds the accumulator of its block or cluster.
    pub(super) fn delivers(&self) -> Expr {
        let first = self.thread().equals(0);
        if self.has_group_by_lane() {
            return first.and(self.has_group());
        }
        if self.kernel.cluster() > 1 { Expr::Rank.equals(0).and(first) } else { first }
    }

    /// Returns the number of blocks, or clusters, that deliver.
    pub(super) fn deliverers(&self) -> Expr {
        self.by_cluster(self.members())
    }

    /// Stores the partial of a block or cluster.
    pub(super) fn partial(&self, acc: Expr) -> Stmt {
        let at = match self.is_beside() {
            true => self.partial_beside(),
            false => self.by_cluster(Expr::Block).cast(Scalar::U64),
        };
        let place = Buffer::Partials.at(at);
        if self.kernel.has_flags() { Stmt::Post(place, acc) } else { Stmt::Store(place, acc) }
    }

    fn by_cluster(&self, blocks: Expr) -> Expr {
        if self.kernel.cluster() > 1 { blocks.over(Expr::Named("CLUSTER")) } else { blocks }
    }

    /// Returns the statements that store the result of thread 0's accumulator.
    pub(super) fn finished_result(&mut self) -> Vec<Stmt> {
        let (mut body, acc) = self.acc_of_block();
        body.push(self.result_of(acc));
        body
    }

    /// Stores the result of an accumulator.
    fn result_of(&self, acc: Expr) -> Stmt {
        Stmt::Store(self.result(), self.finished(acc))
    }

    /// Stores the result if the block or cluster is the only one, otherwise its partial.
    fn partial_or_result(&self, acc: Expr) -> Stmt {
        let alone = self.has_one_member();
        Stmt::If(alone, vec![self.result_of(acc.clone())], vec![self.partial(acc)])
    }

    pub(in crate::lower) fn finished(&self, acc: Expr) -> Expr {
        let operation = &self.program.operation;
        let elements = self.kernel.reads == Reads::Partials && !self.in_last_block();
        let given = |argument: &Argument| match *argument {
            Argument::Count => Some(if elements { Expr::Elements } else { Expr::Items }),
            Argument::Param(param) => Some(Expr::Param(param, operation.params[param].ty)),
            Argument::Acc(_) | Argument::Input(_) | Argument::Index | Argument::Group | Argument::Step => {
                None
            }
        };
        Expr::Finish(Box::new(acc), operation.finish_arguments().iter().filter_map(given).collect())
    }

    /// Returns the block's accumulator, and the statements that bring it to the first thread.
    pub(super) fn acc_of_block(&mut self) -> (Vec<Stmt>, Expr) {
        let acc = self.lanes.first().map(|acc| (Vec::new(), acc.get()));
        acc.unwrap_or_else(|| self.root_of_tree())
    }

    /// Returns the root of a tree in memory, and the statements that load it. A tree in place over no items has no
    /// root.
    fn root_of_tree(&mut self) -> (Vec<Stmt>, Expr) {
        let [total, root] = ["total", "root"].map(|name| self.local(name, Ty::Acc));
        if self.kernel.in_place().is_none() {
            return (vec![Stmt::Load(total.clone(), self.root())], total.get());
        }
        let take = vec![Stmt::Load(root.clone(), self.root()), Stmt::Set(total.clone(), root.get())];
        let has_items = Expr::from(0).below(count().get());
        (vec![Stmt::Var(total.clone(), Expr::Empty), Stmt::when(has_items, take)], total.get())
    }
}
