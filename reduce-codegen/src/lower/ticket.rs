//! The blocks meet at a ticket: the one that takes the last folds the partials of all, in the same launch.
//!
//! A block leaves its partial before it takes a ticket, and the taking is a release and an acquire in one: so the last
//! block sees the partials of all that took theirs before. The vote carries this on to its other threads, and nobody but
//! the last block touches the ticket after that, so it can be 0 again for the next launch.
//!
//! Partials with flags are waited for, so the ticket only counts, and is taken before anything else, while elements are on
//! their way. Who takes the last one knows that all other blocks run; and what has begun to run goes on, as CUDA's
//! execution model has it (parallel forward progress), also while others wait. The last taking sets the ticket back:
//! another store to it would race with those of other blocks, which nothing orders before it.

use super::Lowerer;
use super::locals::zero;
use reduce_ir::Scalar;
use reduce_ir::Value;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Reads, Scope, Step};
use reduce_ir::statements::{AtomicOp, Buffer, Expr, Local, MemoryOrder, Part, Stmt, Ty};

impl Lowerer<'_> {
    /// What a kernel whose partials have flags begins with. The answer is looked at in the end.
    pub(super) fn ticket_before_all(&mut self) {
        self.body.push(Stmt::Note(Part::Deliver, format!("take a ticket: {LAST}  [ticket, flag]")));
        self.constant("NO_TICKET", NO_TICKET, "more than any block finds taken".to_owned());
        self.body.push(Stmt::Var(tickets_before(), Expr::Named("NO_TICKET")));
        let take = take_ticket(AtomicOp::Increment, self.last_ticket(), MemoryOrder::Relaxed);
        let remember = Stmt::Set(tickets_before(), before().get());
        self.body.push(Stmt::when(self.delivers(), vec![take, remember]));
    }

    /// Thread 0 leaves the accumulator, for which `body` makes ready. It takes a ticket now, if it has none.
    pub(super) fn ticket(&mut self, mut body: Vec<Stmt>, acc: Expr) {
        body.push(self.partial(acc));
        let mut took_last = tickets_before().get().equals(self.last_ticket());
        if !self.kernel.has_flags() {
            let local = Local::new("took_last", Ty::BOOL);
            self.body.push(Stmt::Var(local.clone(), Expr::Const(Value::of(false))));
            body.push(take_ticket(AtomicOp::Add, 1.into(), MemoryOrder::AcqRel));
            body.push(Stmt::Set(local.clone(), before().get().equals(self.last_ticket())));
            took_last = local.get();
        }
        let is_last = Local::new("is_last", Ty::BOOL);
        self.body.extend([Stmt::when(self.delivers(), body), Stmt::Vote(is_last.clone(), took_last)]);
        let every_block = std::mem::take(&mut self.body);
        self.last_block();
        let last_block = std::mem::replace(&mut self.body, every_block);
        self.body.push(Stmt::when(is_last.get(), last_block));
    }

    /// How many tickets are taken before the last one.
    fn last_ticket(&self) -> Expr {
        self.deliverers().bin(Bin::Sub, 1)
    }

    /// What the kernel over partials does, on those that the blocks have left.
    fn last_block(&mut self) {
        self.partials = (Buffer::Partials, self.deliverers().cast(Scalar::U64));
        self.suffix = "_all";
        self.kernel = self.program.kernel(Reads::Partials);
        self.threads_with_items();
        let steps = self.kernel.steps.iter().filter(|step| !matches!(step, Step::Exchange(_)));
        steps.for_each(|step| self.step(step));
        let mut body = self.finished_result();
        if !self.program.kernel(Reads::Inputs).has_flags() {
            body.push(Stmt::Store(Buffer::Ticket.at(zero()), 0.into()));
        }
        self.body.push(Stmt::when(Expr::Thread.equals(0), body));
    }
}

fn take_ticket(op: AtomicOp, value: Expr, order: MemoryOrder) -> Stmt {
    let place = Buffer::Ticket.at(zero());
    Stmt::Atomic { into: before(), op, place, value, order, scope: Scope::Grid }
}

/// How many tickets were taken before that which was taken just now.
fn before() -> Local {
    Local::new("before", Ty::U32)
}

/// The same, in every thread, and until the end: `NO_TICKET` of those that took none.
fn tickets_before() -> Local {
    Local::new("tickets_before", Ty::U32)
}

const NO_TICKET: u32 = u32::MAX;

/// Why a block may wait for others.
const LAST: &str = "who has the last one knows that all blocks run, and may wait for their partials";
