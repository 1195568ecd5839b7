//! Release and acquire: which fences and atomics order which threads (PTX ISA, memory consistency model).
//!
//! A release pattern is a release fence and then an atomic, or a releasing atomic. An acquire pattern is an atomic
//! and then an acquire fence, or an acquiring atomic. An atomic acquires everything that earlier atomics released
//! at the same place, through any chain of atomics. The two patterns order two threads only if the scopes of both
//! include both threads. The scope of a pattern is the narrowest scope of its parts. A thread releases all its
//! knowledge, including the actions of other threads before a barrier with it.

use super::clock::{Clock, Clocks};
use super::warp::WIDTH;
use reduce_ir::program::Scope;
use reduce_ir::statements::MemoryOrder;
use std::collections::BTreeMap;

/// The position of a thread, for scope checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Party {
    pub(super) cluster: u32,
    pub(super) block: u32,
    pub(super) thread: u32,
}

impl Party {
    /// Returns whether the scope of one thread includes the other.
    pub(super) fn includes(self, scope: Scope, other: Party) -> bool {
        let warp = |party: Party| party.thread / WIDTH as u32;
        match scope {
            Scope::Thread => self == other,
            Scope::Warp => self.block == other.block && warp(self) == warp(other),
            Scope::Block => self.block == other.block,
            Scope::Cluster => self.cluster == other.cluster,
            Scope::Grid => true,
        }
    }

    /// Returns whether atomics of these scopes by the two threads see each other.
    pub(super) fn sees(self, its: Scope, other: Party, others: Scope) -> bool {
        self.includes(its, other) && other.includes(others, self)
    }
}

fn releases(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel)
}

fn acquires(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel)
}

/// The clock that one thread released with thread scope, or that threads of one warp released with a wider scope.
#[derive(Clone)]
struct Released {
    by: Party,
    scope: Scope,
    clock: Clock,
}

/// The clocks that atomics released at a place.
#[derive(Clone, Default)]
pub(super) struct Channel {
    /// The last atomic at the place.
    last: Option<(Party, Scope)>,
    /// The clock released with grid scope by any thread.
    to_grid: Clock,
    /// The released clocks, by warp (or thread, for thread scope) and scope.
    released: Vec<Released>,
}

impl Channel {
    /// Adds an atomic. The clocks that the chain before it released stay released only if the two atomics see each
    /// other.
    fn extend(&mut self, by: Party, scope: Scope) {
        let linked = self.last.is_none_or(|(last, its)| last.sees(its, by, scope));
        if !linked {
            self.to_grid.forget_real();
            self.released.iter_mut().for_each(|it| it.clock.forget_real());
        }
        self.last = Some((by, scope));
    }

    fn release(&mut self, by: Party, scope: Scope, clock: &Clock) {
        if scope == Scope::Grid {
            self.to_grid.join(clock, true);
        }
        let grouping = scope.min(Scope::Warp);
        let same = |it: &&mut Released| it.scope == scope && by.includes(grouping, it.by);
        match self.released.iter_mut().find(same) {
            Some(it) => it.clock.join(clock, true),
            None => self.released.push(Released { by, scope, clock: clock.clone() }),
        }
    }

    /// Adds the clocks released at another place.
    fn absorb(&mut self, other: &Channel) {
        self.to_grid.join(&other.to_grid, true);
        other.released.iter().for_each(|it| self.release(it.by, it.scope, &it.clock));
    }

    fn acquire(&self, by: Party, scope: Scope, clocks: &mut Clocks) {
        if scope == Scope::Grid {
            clocks.acquire(by.thread, &self.to_grid, true);
        }
        let rest = self.released.iter().filter(|it| scope != Scope::Grid || it.scope != Scope::Grid);
        for it in rest {
            let real = it.by.sees(it.scope, by, scope);
            clocks.acquire(by.thread, &it.clock, real);
        }
    }
}

/// The effects of fences on the atomics of their threads, for one block.
#[derive(Default)]
pub(super) struct Fences {
    threads: BTreeMap<u32, Fence>,
}

#[derive(Default)]
struct Fence {
    /// The clocks of release fences, by scope, for later atomics.
    before: Vec<(Scope, Clock)>,
    /// The channels that atomics have read, by scope, for later acquire fences.
    after: Vec<(Scope, Channel)>,
}

impl Fence {
    /// Returns the channel that atomics of that scope have read.
    fn read(&mut self, scope: Scope) -> &mut Channel {
        let at = self.after.iter().position(|(read, _)| *read == scope).unwrap_or_else(|| {
            self.after.push((scope, Channel::default()));
            self.after.len() - 1
        });
        &mut self.after[at].1
    }
}

impl Fences {
    /// Executes a fence of a thread.
    pub(super) fn fence(&mut self, by: Party, order: MemoryOrder, scope: Scope, clocks: &mut Clocks) {
        let fence = self.threads.entry(by.thread).or_default();
        if acquires(order) {
            fence.after.iter().for_each(|(read, channel)| channel.acquire(by, scope.min(*read), clocks));
            fence.after.retain(|(read, _)| scope < *read);
        }
        if releases(order) {
            fence.before.retain(|(released, _)| *released > scope);
            fence.before.push((scope, clocks.release(by.thread)));
        }
    }

    /// Executes an atomic of a thread on the place of that channel.
    pub(super) fn atomic(
        &mut self,
        by: Party,
        order: MemoryOrder,
        scope: Scope,
        channel: &mut Channel,
        clocks: &mut Clocks,
    ) {
        channel.extend(by, scope);
        if acquires(order) {
            channel.acquire(by, scope, clocks);
        } else {
            self.threads.entry(by.thread).or_default().read(scope).absorb(channel);
        }
        if releases(order) {
            channel.release(by, scope, &clocks.release(by.thread));
        }
        let fences = self.threads.get(&by.thread).into_iter().flat_map(|fence| &fence.before);
        fences.for_each(|(fence, clock)| channel.release(by, scope.min(*fence), clock));
    }
}
