//! Cells of memory: their contents, and the accesses to them.
//!
//! Two accesses conflict if one of them writes and they are not both atomic. Conflicting accesses that nothing
//! orders are reported. The kind is [`Kind::ScopeTooNarrow`] if wider scopes would order them. It is
//! [`Kind::Stale`] if the later one, in this schedule, is a plain read of a value that an atomic wrote. Otherwise
//! it is [`Kind::Race`]. Atomics conflict with each other if their scopes do not include both threads. A read that
//! is not ordered after a write it could see returns the value from before that write. A GPU may do so, and the
//! result must show it.

use super::clock::{Clocks, Order, Stamp};
use super::report::Kind;
use super::sync::{Channel, Party};
use reduce_ir::program::Scope;

/// An access: its thread, statement and clocks.
#[derive(Clone, Copy)]
pub(super) struct Access<'a> {
    pub(super) by: Party,
    pub(super) pc: usize,
    pub(super) clocks: &'a Clocks,
    /// The receiving block, if the access is a message.
    pub(super) to: Option<u32>,
}

/// A conflicting access, and the kind of the conflict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) kind: Kind,
    pub(super) with: Stamp,
    /// The verb for the other access: `read`, `wrote` or `updates`.
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

/// A cell that holds an accumulator or a ticket.
#[derive(Clone)]
pub(super) struct Cell<T> {
    value: Option<T>,
    /// The value before the last write.
    before: Option<T>,
    initialised: bool,
    write: Option<Stamp>,
    /// The reads since the last write.
    reads: Vec<Stamp>,
    atomics: Option<Box<Atomics>>,
}

/// The atomics on a cell since its last plain write.
#[derive(Clone, Default)]
struct Atomics {
    /// The last atomic, and earlier ones that it does not see. Whatever follows an atomic also follows the ones it
    /// sees.
    updates: Vec<(Stamp, Party, Scope)>,
    channel: Channel,
}

impl<T: Copy> Cell<T> {
    /// Creates a cell with a value from before the launch, or without a value.
    pub(super) fn new(value: Option<T>) -> Cell<T> {
        let initialised = value.is_some();
        Cell { value, before: None, initialised, write: None, reads: Vec::new(), atomics: None }
    }

    /// Makes the cell uninitialised, for the memory of a new block.
    pub(super) fn clear(&mut self) {
        (self.value, self.before, self.initialised) = (None, None, false);
        (self.write, self.atomics) = (None, None);
        self.reads.clear();
    }

    /// Returns the current value.
    pub(super) fn value(&self) -> Option<T> {
        self.value
    }

    /// Returns whether anything has written the cell.
    pub(super) fn is_initialised(&self) -> bool {
        self.initialised
    }

    /// Executes a plain read.
    pub(super) fn read(&mut self, access: &Access<'_>) -> (Option<T>, Option<Conflict>) {
        let conflict = self.unordered_write(access).or_else(|| self.unordered_update(access, Kind::Stale));
        self.note_read(access);
        (if conflict.is_some() { self.before } else { self.value }, conflict)
    }

    /// Executes a plain write.
    pub(super) fn write(&mut self, access: &Access<'_>, value: Option<T>) -> Option<Conflict> {
        let conflict = self.unordered_write(access).or_else(|| self.unordered_update(access, Kind::Race));
        let conflict = conflict.or_else(|| self.unordered_read(access));
        self.set(value);
        self.reads.clear();
        self.atomics = None;
        self.write = Some(access.stamp());
        conflict
    }

    /// Executes an atomic update, and returns the previous value.
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

    /// Returns the channel of the atomics on this cell.
    pub(super) fn channel(&mut self) -> &mut Channel {
        &mut self.atomics.get_or_insert_default().channel
    }

    /// Returns an access by another block that nothing orders before this one, if there is any.
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

    /// Records a read. Now and then it drops reads that happen before this one: whatever follows this one follows
    /// them.
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

    /// Finds an atomic whose scope does not include this thread, or whose thread is outside the scope of this one.
    fn unseen_update(&self, access: &Access<'_>, scope: Scope) -> Option<Conflict> {
        let updates = &self.atomics.as_ref()?.updates;
        let unseen = updates.iter().filter(|(_, by, its)| !by.sees(*its, access.by, scope));
        let kind = Kind::ScopeTooNarrow;
        unseen.map(|(it, ..)| it).find_map(|it| access.conflict(it, "updates", kind))
    }
}
