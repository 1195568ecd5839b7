//! The exchange by tickets: the block that takes the last ticket folds the partials of all blocks, in the same launch.
//!
//! Without flags, a block stores its partial, then takes a ticket with acquire and release order. So the last block
//! sees the partials of all blocks that took a ticket before. The vote extends this to its other threads. After that no
//! other block touches the ticket, so the last block resets it to 0 for the next launch.
//!
//! With flags, the last block waits for each partial, so the ticket only counts. A block takes it first, and its
//! latency overlaps the loads of the elements. The block with the last ticket knows that all other blocks have started.
//! A started block makes progress while others wait: CUDA's execution model guarantees parallel forward progress. The
//! last increment resets the ticket. A separate store would race with the increments of other blocks, because nothing
//! orders these before it.

use super::Lowerer;
use super::locals::zero;
use reduce_ir::Scalar;
use reduce_ir::Value;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Reads, Scope, Step};
use reduce_ir::statements::{AtomicOp, Buffer, Expr, Local, MemoryOrder, Part, Stmt, Ty};

impl Lowerer<'_> {
    /// Takes a ticket at the start of a kernel whose partials have flags. The ticket is checked at the end.
    pub(super) fn ticket_first(&mut self) {
        self.body.push(Stmt::Note(Part::Deliver, format!("take a ticket: {LAST}  [ticket, flag]")));
        self.constant("NO_TICKET", NO_TICKET, "larger than any ticket".to_owned());
        self.body.push(Stmt::Var(tickets_before(), Expr::Named("NO_TICKET")));
        let take = take_ticket(AtomicOp::Increment, self.last_ticket(), MemoryOrder::Relaxed);
        let remember = Stmt::Set(tickets_before(), before().get());
        self.body.push(Stmt::when(self.delivers(), vec![take, remember]));
    }

    /// Stores the partial in thread 0, after `body`, which obtains the accumulator. Then takes a ticket, unless the
    /// block has one.
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

    /// Returns the number of tickets before the last one.
    fn last_ticket(&self) -> Expr {
        self.deliverers().bin(Bin::Sub, 1)
    }

    /// Runs the steps of the kernel over partials on the partials of all blocks.
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

/// The number of tickets taken before this one.
fn before() -> Local {
    Local::new("before", Ty::U32)
}

/// The same number, kept to the end and in every thread: `NO_TICKET` in threads that took none.
fn tickets_before() -> Local {
    Local::new("tickets_before", Ty::U32)
}

const NO_TICKET: u32 = u32::MAX;

/// The reason why a block may wait for others.
const LAST: &str = "the last ticket implies that all blocks run, so its block may wait for their partials";
