//! Cells of memory: what they hold, and who accessed them when.
//!
//! Two accesses conflict if one of them writes and they are not both atomic. Conflicting accesses that
//! nothing orders are reported: as [`Kind::ScopeTooNarrow`] if wider scopes would order them, as
//! [`Kind::Stale`] if the later one, in this schedule, is a plain read of what an atomic wrote, else as
//! [`Kind::Race`]. Atomics conflict with each other where their scopes do not include both threads. A read
//! that is not ordered after what it could see gets what the cell held before that: a GPU may do so, and
//! the result must show it.

use super::clock::{Clocks, Order, Stamp};
use super::report::Kind;
use super::sync::{Channel, Party};
use reduce_ir::program::Scope;

/// An access: by whom, and at which statement.
#[derive(Clone, Copy)]
pub(super) struct Access<'a> {
    pub(super) by: Party,
    pub(super) pc: usize,
    pub(super) clocks: &'a Clocks,
    /// The block that it goes to as a message.
    pub(super) to: Option<u32>,
}

/// Another access, and what is wrong about the two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) kind: Kind,
    pub(super) with: Stamp,
    /// What the other one did: `read`, `wrote` or `updates`.
    pub(super) did: &'static str,
}

impl Access<'_> {
    fn stamp(&self) -> Stamp {
        let mut stamp = self.clocks.stamp(self.by.thread, self.pc);
        stamp.to = self.to;
        stamp
    }

    fn conflict(&self, with: &Stamp, did: &'static str, unordered: Kind) -> Option<Conflict> {
        let kind = match self.clocks.order(self.by.thread, with) {
            Order::Before => return None,
            Order::BeforeInGrid => Kind::ScopeTooNarrow,
            Order::Unordered => unordered,
        };
        Some(Conflict { kind, with: *with, did })
    }
}

/// A cell: an accumulator, or a ticket.
#[derive(Clone)]
pub(super) struct Cell<T> {
    value: Option<T>,
    /// What it held before the last write.
    before: Option<T>,
    initialised: bool,
    write: Option<Stamp>,
    /// Reads since then.
    reads: Vec<Stamp>,
    atomics: Option<Box<Atomics>>,
}

/// What atomics did to a cell since the last plain write.
#[derive(Clone, Default)]
struct Atomics {
    /// The last one, and those that it does not see: what follows an atomic follows those that it saw.
    updates: Vec<(Stamp, Party, Scope)>,
    channel: Channel,
}

impl<T: Copy> Cell<T> {
    /// A cell that holds something from before the launch, or nothing.
    pub(super) fn new(value: Option<T>) -> Cell<T> {
        let initialised = value.is_some();
        Cell { value, before: None, initialised, write: None, reads: Vec::new(), atomics: None }
    }

    /// Nothing wrote it, in the memory of a new block.
    pub(super) fn clear(&mut self) {
        (self.value, self.before, self.initialised) = (None, None, false);
        (self.write, self.atomics) = (None, None);
        self.reads.clear();
    }

    /// What it holds in the end.
    pub(super) fn value(&self) -> Option<T> {
        self.value
    }

    /// Has anything written it?
    pub(super) fn is_initialised(&self) -> bool {
        self.initialised
    }

    /// A plain read.
    pub(super) fn read(&mut self, access: &Access<'_>) -> (Option<T>, Option<Conflict>) {
        let conflict = self.unordered_write(access).or_else(|| self.unordered_update(access, Kind::Stale));
        self.note_read(access);
        (if conflict.is_some() { self.before } else { self.value }, conflict)
    }

    /// A plain write.
    pub(super) fn write(&mut self, access: &Access<'_>, value: Option<T>) -> Option<Conflict> {
        let conflict = self.unordered_write(access).or_else(|| self.unordered_update(access, Kind::Race));
        let conflict = conflict.or_else(|| self.unordered_read(access));
        self.set(value);
        self.reads.clear();
        self.atomics = None;
        self.write = Some(access.stamp());
        conflict
    }

    /// An atomic update; gives what it held.
    pub(super) fn update(
        &mut self,
        access: &Access<'_>,
        scope: Scope,
        change: impl FnOnce(Option<T>) -> Option<T>,
    ) -> (Option<T>, Option<Conflict>) {
        let conflict = self.unordered_write(access).or_else(|| self.unordered_read(access));
        let conflict = conflict.or_else(|| self.unseen_update(access, scope));
        let held = self.value;
        self.set(change(held));
        let updates = &mut self.atomics.get_or_insert_default().updates;
        updates.retain(|(_, by, its)| !by.sees(*its, access.by, scope));
        updates.push((access.stamp(), access.by, scope));
        (held, conflict)
    }

    /// What atomics released here.
    pub(super) fn channel(&mut self) -> &mut Channel {
        &mut self.atomics.get_or_insert_default().channel
    }

    /// An access by another block that nothing orders before this one, if there is any.
    pub(super) fn unordered_visit(&self, access: &Access<'_>) -> Option<Stamp> {
        let updates = self.atomics.iter().flat_map(|atomics| &atomics.updates).map(|(stamp, ..)| stamp);
        let all = self.write.iter().chain(&self.reads).chain(updates);
        let visits = all.filter(|stamp| stamp.block != access.by.block);
        visits.filter(|stamp| access.conflict(stamp, "", Kind::OutOfBounds).is_some()).copied().next()
    }

    fn set(&mut self, value: Option<T>) {
        self.before = std::mem::replace(&mut self.value, value);
        self.initialised = true;
    }

    /// Reads that happen before this one are forgotten now and then: what follows it, follows them.
    fn note_read(&mut self, access: &Access<'_>) {
        if self.reads.len() >= 4 && self.reads.len().is_power_of_two() {
            self.reads.retain(|it| access.clocks.order(access.by.thread, it) != Order::Before);
        }
        self.reads.push(access.stamp());
    }

    fn unordered_write(&self, access: &Access<'_>) -> Option<Conflict> {
        access.conflict(self.write.as_ref()?, "wrote", Kind::Race)
    }

    fn unordered_read(&self, access: &Access<'_>) -> Option<Conflict> {
        self.reads.iter().find_map(|it| access.conflict(it, "read", Kind::Race))
    }

    fn unordered_update(&self, access: &Access<'_>, kind: Kind) -> Option<Conflict> {
        let updates = &self.atomics.as_ref()?.updates;
        updates.iter().find_map(|(it, ..)| access.conflict(it, "updates", kind))
    }

    /// An atomic whose scope does not include this thread, or is not in the scope of this one.
    fn unseen_update(&self, access: &Access<'_>, scope: Scope) -> Option<Conflict> {
        let updates = &self.atomics.as_ref()?.updates;
        let unseen = updates.iter().filter(|(_, by, its)| !by.sees(*its, access.by, scope));
        let kind = Kind::ScopeTooNarrow;
        unseen.map(|(it, ..)| it).find_map(|it| access.conflict(it, "updates", kind))
    }
}
