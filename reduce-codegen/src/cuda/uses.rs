//! The declarations that the statements of kernels need.

use reduce_ir::Scalar;
use reduce_ir::program::Scope;
use reduce_ir::statements::{Buffer, Expr, LoweredKernel, Place, Stmt, Ty};
use std::collections::BTreeSet;

/// The features that some kernels use.
#[derive(Default)]
pub(super) struct Uses {
    /// The vectors that are loaded, by type and length.
    pub(super) vectors: BTreeSet<(Scalar, u32)>,
    /// The vectors that are loaded unaligned.
    pub(super) unaligned: BTreeSet<(Scalar, u32)>,
    /// Whether accumulators are shuffled.
    pub(super) shuffles: bool,
    /// Whether one instruction combines the accumulators of a warp, and if so, whether only some lanes hold one.
    pub(super) redux: Option<bool>,
    /// Whether accumulators are combined into memory, atomically.
    pub(super) atomics: bool,
    /// Whether a kernel writes the items that it reads.
    pub(super) writes_items: bool,
    /// Whether partials carry flags.
    pub(super) flags: bool,
    /// Whether accumulators are sent to other blocks.
    pub(super) messages: bool,
    /// Whether the shared memory of other blocks is loaded or stored.
    pub(super) neighbours: bool,
    /// Whether a ticket is used.
    pub(super) ticket: bool,
    /// The buffers that are accessed.
    pub(super) buffers: BTreeSet<Buffer>,
    /// Whether faults of offsets are recorded.
    pub(super) faults: bool,
    /// Whether threads append to lists.
    pub(super) appends: bool,
    /// Whether accumulators are combined into shared memory, atomically.
    pub(super) shared_atomics: bool,
    /// Whether a kernel makes offsets.
    pub(super) writes_offsets: bool,
    /// Whether values are summed over a block.
    pub(super) prefixes: bool,
    /// Whether a kernel has accumulators. Also true for an empty list of kernels: the caller wants the functions alone.
    pub(super) accs: bool,
    /// Whether lanes take turns.
    pub(super) turns: bool,
    /// Whether the result of no elements is stored.
    pub(super) nothing: bool,
}

impl Uses {
    pub(super) fn of(kernels: &[LoweredKernel]) -> Uses {
        let mut uses = Uses::default();
        kernels.iter().for_each(|kernel| uses.body(&kernel.body));
        uses.accs = kernels.is_empty()
            || [Buffer::Partials, Buffer::Result, Buffer::Items].iter().any(|it| uses.buffers.contains(it))
            || uses.flags
            || uses.atomics
            || uses.messages;
        uses
    }

    fn body(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Load(local, Place { buffer, rank, .. }) => {
                    self.buffers.insert(*buffer);
                    self.neighbours |= rank.is_some();
                    self.ticket |= *buffer == Buffer::Ticket;
                    self.vectors.extend(vector(local.ty));
                }
                Stmt::LoadUnaligned(local, Place { buffer, .. }) => {
                    self.buffers.insert(*buffer);
                    self.vectors.extend(vector(local.ty));
                    self.unaligned.extend(vector(local.ty));
                }
                Stmt::Store(Place { buffer, rank, .. }, value) => {
                    self.buffers.insert(*buffer);
                    self.nothing |= *value == Expr::Nothing;
                    self.neighbours |= rank.is_some();
                    self.ticket |= *buffer == Buffer::Ticket;
                    self.writes_items |= *buffer == Buffer::Items;
                    self.writes_offsets |= matches!(buffer, Buffer::Offsets(_));
                }
                Stmt::Take(..) | Stmt::Post(..) => self.flags = true,
                Stmt::Expect(..) | Stmt::Send(..) | Stmt::Receive(_) => self.messages = true,
                Stmt::Atomic { .. } => self.ticket = true,
                Stmt::Shuffle { .. } => self.shuffles = true,
                Stmt::Redux(_, there) => self.redux = Some(there.is_some()),
                Stmt::AtomicCombine { scope: Scope::Block, .. } => self.shared_atomics = true,
                Stmt::AtomicCombine { place, .. } => {
                    self.atomics = true;
                    self.buffers.insert(place.buffer);
                }
                Stmt::Fault(_) => self.faults = true,
                Stmt::Turn { .. } => self.turns = true,
                Stmt::Prefix { .. } => self.prefixes = true,
                Stmt::Append(..) => self.appends = true,
                Stmt::For(it) => self.body(&it.body),
                Stmt::If(_, then, otherwise) => {
                    self.body(then);
                    self.body(otherwise);
                }
                Stmt::Note(..)
                | Stmt::Let(..)
                | Stmt::Var(..)
                | Stmt::Set(..)
                | Stmt::Move(..)
                | Stmt::Clear(_)
                | Stmt::Length(..)
                | Stmt::Ballot(..)
                | Stmt::Exit => {}
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
