//! Release and acquire: which fences and atomics order which threads (PTX ISA, memory consistency model).
//!
//! A release pattern is a release fence and then an atomic, or a releasing atomic; an acquire pattern is an
//! atomic and then an acquire fence, or an acquiring atomic. An atomic that reads a place acquires what
//! every atomic before it released there, through any chain of atomics. The edge exists only if the scopes
//! of both patterns include both threads; a pattern has the narrowest scope of its parts. What a thread
//! releases is all it knows: also what others did before a barrier with it.

use super::clock::{Clock, Clocks};
use super::warp::WIDTH;
use reduce_ir::program::Scope;
use reduce_ir::statements::MemoryOrder;
use std::collections::BTreeMap;

/// A thread, as scopes see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Party {
    pub(super) cluster: u32,
    pub(super) block: u32,
    pub(super) thread: u32,
}

impl Party {
    /// Does the scope of one thread include the other?
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

    /// Do atomics of these scopes by the two see each other?
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

/// What a thread released to itself, or threads of one warp to a wider scope.
#[derive(Clone)]
struct Released {
    by: Party,
    scope: Scope,
    clock: Clock,
}

/// What atomics released at a place.
#[derive(Clone, Default)]
pub(super) struct Channel {
    /// The last atomic there.
    last: Option<(Party, Scope)>,
    /// What was released to the whole grid, by anyone.
    to_grid: Clock,
    /// What was released, by warp, or thread, and scope.
    released: Vec<Released>,
}

impl Channel {
    /// Another atomic: what the chain before it released remains released only if the two atomics see
    /// each other.
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
        let near = scope.min(Scope::Warp);
        let same = |it: &&mut Released| it.scope == scope && by.includes(near, it.by);
        match self.released.iter_mut().find(same) {
            Some(it) => it.clock.join(clock, true),
            None => self.released.push(Released { by, scope, clock: clock.clone() }),
        }
    }

    /// Also what was released at another place.
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

/// What the fences of a block's threads have to do with their atomics.
#[derive(Default)]
pub(super) struct Fences {
    threads: BTreeMap<u32, Fence>,
}

#[derive(Default)]
struct Fence {
    /// What release fences of each scope have released to later atomics.
    before: Vec<(Scope, Clock)>,
    /// What atomics of each scope have read for later acquire fences.
    after: Vec<(Scope, Channel)>,
}

impl Fence {
    /// What atomics of that scope have read.
    fn read(&mut self, scope: Scope) -> &mut Channel {
        let at = self.after.iter().position(|(read, _)| *read == scope).unwrap_or_else(|| {
            self.after.push((scope, Channel::default()));
            self.after.len() - 1
        });
        &mut self.after[at].1
    }
}

impl Fences {
    /// A fence of a thread.
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

    /// An atomic of a thread on the place of that channel.
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
