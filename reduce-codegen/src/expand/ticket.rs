//! The blocks meet at a ticket: the one that finishes last folds the partials of all, in the same launch.
//!
//! A block leaves its partial before it takes a ticket, and the taking is a release and an acquire in one: so the last
//! block sees the partials of all that took theirs before. The vote carries this on to its other threads, and nobody but
//! the last block touches the ticket after that, so it can be 0 again for the next launch.
//!
//! Partials with flags are waited for. So the ticket only counts, and the last taking sets it back: another store to it
//! would race with those of other blocks, which nothing orders before it.

use super::Expansion;
use super::deliver::zero;
use reduce_dsl::Scalar;
use reduce_dsl::Value;
use reduce_dsl::expanded::{AtomicOp, Buffer, Expr, Local, MemoryOrder, Stmt, Ty};
use reduce_dsl::ops::Bin;
use reduce_dsl::program::{Reads, Scope, Step};

impl Expansion<'_> {
    /// Thread 0 leaves the accumulator, for which `body` makes ready, and takes a ticket.
    pub(super) fn ticket(&mut self, mut body: Vec<Stmt>, acc: Expr) {
        let last = self.deliverers().bin(Bin::Sub, 1);
        let (op, value, order) = if self.kernel.has_flags() {
            (AtomicOp::Increment, last.clone(), MemoryOrder::Relaxed)
        } else {
            (AtomicOp::Add, 1.into(), MemoryOrder::AcqRel)
        };
        let took_last = Local::new("took_last", Ty::BOOL);
        let [before, is_last] =
            [("before", Ty::U32), ("is_last", Ty::BOOL)].map(|(name, ty)| Local::new(name, ty));
        body.extend([
            self.partial(acc),
            Stmt::Atomic {
                into: before.clone(),
                op,
                place: Buffer::Ticket.at(zero()),
                value,
                order,
                scope: Scope::Grid,
            },
            Stmt::Set(took_last.clone(), before.get().equals(last)),
        ]);
        self.body.extend([
            Stmt::Var(took_last.clone(), Expr::Const(Value::of(false))),
            Stmt::when(self.delivers(), body),
            Stmt::Vote(is_last.clone(), took_last.get()),
        ]);
        let every_block = std::mem::take(&mut self.body);
        self.last_block();
        let last_block = std::mem::replace(&mut self.body, every_block);
        self.body.push(Stmt::when(is_last.get(), last_block));
    }

    /// What the kernel over partials does, on those that the blocks have left.
    fn last_block(&mut self) {
        self.partials = (Buffer::Partials, self.deliverers().cast(Scalar::U64));
        self.suffix = "_all";
        self.kernel = self.program.kernel(Reads::Partials);
        self.near = self.kernel.fold().near;
        self.threads_with_items();
        let steps = self.kernel.steps.iter().filter(|step| !matches!(step, Step::Grid(_)));
        steps.for_each(|step| self.step(step));
        let mut body = self.result();
        if !self.program.kernel(Reads::Inputs).has_flags() {
            body.push(Stmt::Store(Buffer::Ticket.at(zero()), 0.into()));
        }
        self.body.push(Stmt::when(Expr::Thread.equals(0), body));
    }
}
