//! What the statements of kernels use that must be declared before them.

use reduce_ir::Scalar;
use reduce_ir::statements::{Buffer, LoweredKernel, Place, Stmt, Ty};
use std::collections::BTreeSet;

/// What some kernels use.
#[derive(Default)]
pub(super) struct Uses {
    /// Vectors of that type and length are loaded.
    pub(super) vectors: BTreeSet<(Scalar, u32)>,
    /// Those of them that are loaded unaligned.
    pub(super) unaligned: BTreeSet<(Scalar, u32)>,
    /// Accumulators are shuffled.
    pub(super) shuffles: bool,
    /// Accumulators of a warp are combined at once; is it asked which are there?
    pub(super) redux: Option<bool>,
    /// Accumulators are combined into memory, atomically.
    pub(super) atomics: bool,
    /// The items that a kernel reads are written as well.
    pub(super) writes_items: bool,
    /// Partials carry flags.
    pub(super) flags: bool,
    /// Accumulators are sent to other blocks.
    pub(super) messages: bool,
    /// The shared memory of other blocks is loaded from and stored to.
    pub(super) neighbours: bool,
    /// There is a ticket.
    pub(super) ticket: bool,
}

impl Uses {
    pub(super) fn of(kernels: &[LoweredKernel]) -> Uses {
        let mut uses = Uses::default();
        kernels.iter().for_each(|kernel| uses.body(&kernel.body));
        uses
    }

    fn body(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Load(local, Place { buffer, rank, .. }) => {
                    self.neighbours |= rank.is_some();
                    self.ticket |= *buffer == Buffer::Ticket;
                    self.vectors.extend(vector(local.ty));
                }
                Stmt::LoadUnaligned(local, _) => {
                    self.vectors.extend(vector(local.ty));
                    self.unaligned.extend(vector(local.ty));
                }
                Stmt::Store(Place { buffer, rank, .. }, _) => {
                    self.neighbours |= rank.is_some();
                    self.ticket |= *buffer == Buffer::Ticket;
                    self.writes_items |= *buffer == Buffer::Items;
                }
                Stmt::Take(..) | Stmt::Post(..) => self.flags = true,
                Stmt::Expect(..) | Stmt::Send(..) | Stmt::Receive(_) => self.messages = true,
                Stmt::Atomic { .. } => self.ticket = true,
                Stmt::Shuffle { .. } => self.shuffles = true,
                Stmt::Redux(_, there) => self.redux = Some(there.is_some()),
                Stmt::AtomicCombine { .. } => self.atomics = true,
                Stmt::For(it) => self.body(&it.body),
                Stmt::If(_, then, otherwise) => {
                    self.body(then);
                    self.body(otherwise);
                }
                Stmt::Note(..) | Stmt::Let(..) | Stmt::Var(..) | Stmt::Set(..) | Stmt::Exit => {}
                Stmt::AwaitLaunch | Stmt::TriggerLaunch => {}
                Stmt::Barrier(_) | Stmt::Fence(..) | Stmt::Arrive | Stmt::Wait | Stmt::Vote(..) => {}
            }
        }
    }
}

fn vector(ty: Ty) -> Option<(Scalar, u32)> {
    match ty {
        Ty::Vector(ty, lanes) => Some((ty, lanes)),
        Ty::Scalar(_) | Ty::Acc | Ty::Output => None,
    }
}
