//! Happens-before: vector clocks of the events that each thread knows to have happened.
//!
//! A block counts phases, which end at block barriers. A thread counts steps, which end where it releases: at warp
//! barriers, fences and atomics. Every event is stamped with both. The knowledge about a block is a phase, and a
//! step for each lane that met or released in it. All earlier phases and steps have happened. So a block barrier
//! costs one clock for the whole block, independent of its number of threads.
//!
//! Every clock is kept twice: as it is, and as it would be if every fence and atomic had grid scope. If only the
//! second clock orders two events, a scope is too narrow.

use super::warp::{PerLane, WIDTH, each};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The thread, statement and time of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    pub(super) block: u32,
    pub(super) thread: u32,
    pub(super) pc: u32,
    phase: u32,
    step: u32,
    /// The receiving block, if the event is a message. Only threads that receive it know of it.
    pub(super) to: Option<u32>,
}

/// Whether one event happens before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Before,
    /// It would happen before the other if every scope were the grid.
    BeforeInGrid,
    Unordered,
}

/// The events known to have happened, by block in ascending order. Of blocks not listed, none are known.
#[derive(Clone, Default)]
struct Known {
    blocks: Vec<(u32, Rc<Progress>)>,
    /// The blocks whose messages are known, in ascending order.
    received: Vec<u32>,
}

/// The known events of one block: all before `phase`, and within it the steps of each lane below the given ones.
#[derive(Clone, Default)]
struct Progress {
    phase: u32,
    warps: Vec<(u32, PerLane<u32>)>,
}

impl Progress {
    fn has(&self, it: &Stamp) -> bool {
        let (warp, lane) = (it.thread / WIDTH as u32, it.thread as usize % WIDTH);
        let step =
            || self.warps.iter().find(|(number, _)| *number == warp).map_or(0, |(_, steps)| steps[lane]);
        it.phase < self.phase || it.phase == self.phase && it.step < step()
    }

    fn warp(&mut self, warp: u32) -> &mut PerLane<u32> {
        let at = self.warps.iter().position(|(number, _)| *number == warp).unwrap_or_else(|| {
            self.warps.push((warp, [0; WIDTH]));
            self.warps.len() - 1
        });
        &mut self.warps[at].1
    }

    fn join(&mut self, other: &Progress) {
        if other.phase > self.phase {
            self.clone_from(other);
        } else if other.phase == self.phase {
            for (warp, theirs) in &other.warps {
                let ours = self.warp(*warp);
                ours.iter_mut().zip(theirs).for_each(|(ours, theirs)| *ours = (*ours).max(*theirs));
            }
        }
    }
}

impl Known {
    fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.received.is_empty()
    }

    fn has(&self, it: &Stamp) -> bool {
        if let Some(to) = it.to {
            return self.received.contains(&to);
        }
        let at = self.blocks.binary_search_by_key(&it.block, |(block, _)| *block);
        at.is_ok_and(|at| self.blocks[at].1.has(it))
    }

    fn of(&mut self, block: u32) -> &mut Progress {
        let at = self.blocks.binary_search_by_key(&block, |(block, _)| *block).unwrap_or_else(|at| {
            self.blocks.insert(at, (block, Rc::default()));
            at
        });
        Rc::make_mut(&mut self.blocks[at].1)
    }

    fn joined(&self, other: &Known) -> Known {
        let mut all = Vec::with_capacity(self.blocks.len().max(other.blocks.len()));
        let (mut ours, mut theirs) = (self.blocks.iter().peekable(), other.blocks.iter().peekable());
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            match a.0.cmp(&b.0) {
                std::cmp::Ordering::Less => all.extend(ours.next().cloned()),
                std::cmp::Ordering::Greater => all.extend(theirs.next().cloned()),
                std::cmp::Ordering::Equal => {
                    let mut both = a.1.clone();
                    if !Rc::ptr_eq(&both, &b.1) {
                        Rc::make_mut(&mut both).join(&b.1);
                    }
                    all.push((a.0, both));
                    ours.next();
                    theirs.next();
                }
            }
        }
        all.extend(ours.chain(theirs).cloned());
        let received = self.received.iter().chain(&other.received).copied().collect::<BTreeSet<_>>();
        Known { blocks: all, received: received.into_iter().collect() }
    }
}

/// The knowledge of a thread: with the actual scopes, and as if all scopes were the grid. Cheap to copy.
#[derive(Clone, Default)]
pub(super) struct Clock {
    real: Rc<Known>,
    wide: Rc<Known>,
}

impl Clock {
    fn order(&self, it: &Stamp) -> Order {
        if self.real.has(it) {
            Order::Before
        } else if self.wide.has(it) {
            Order::BeforeInGrid
        } else {
            Order::Unordered
        }
    }

    /// Adds the knowledge of `other`; if `real` is false, only as if all scopes were the grid.
    pub(super) fn join(&mut self, other: &Clock, real: bool) {
        let same = Rc::ptr_eq(&self.real, &self.wide) && Rc::ptr_eq(&other.real, &other.wide) && real;
        join(&mut self.wide, &other.wide);
        if same {
            self.real = self.wide.clone();
        } else if real {
            join(&mut self.real, &other.real);
        }
    }

    /// Forgets everything that is only known with the actual scopes.
    pub(super) fn forget_real(&mut self) {
        self.real = Rc::default();
    }

    fn change(&mut self, change: impl Fn(&mut Known)) {
        let same = Rc::ptr_eq(&self.real, &self.wide);
        if same {
            self.wide = Rc::default();
        }
        change(Rc::make_mut(&mut self.real));
        if same {
            self.wide = self.real.clone();
        } else {
            change(Rc::make_mut(&mut self.wide));
        }
    }
}

fn join(ours: &mut Rc<Known>, theirs: &Rc<Known>) {
    if ours.is_empty() {
        ours.clone_from(theirs);
    } else if !Rc::ptr_eq(ours, theirs) && !theirs.is_empty() {
        *ours = Rc::new(ours.joined(theirs));
    }
}

/// The clocks of the threads of a block.
pub(super) struct Clocks {
    block: u32,
    phase: u32,
    steps: Vec<u32>,
    /// The knowledge of all threads since their last barrier.
    common: Clock,
    /// The knowledge of each thread that knows more.
    own: Vec<Option<Clock>>,
    /// The threads that know more.
    ahead: Vec<u32>,
}

impl Clocks {
    pub(super) fn new(block: u32, threads: u32) -> Clocks {
        let threads = threads as usize;
        let (common, own) = (Clock::default(), vec![None; threads]);
        Clocks { block, phase: 0, steps: vec![0; threads], common, own, ahead: Vec::new() }
    }

    /// Returns the stamp of the thread's current action, at statement `pc`.
    pub(super) fn stamp(&self, thread: u32, pc: usize) -> Stamp {
        let step = self.steps[thread as usize];
        Stamp { block: self.block, thread, pc: pc as u32, phase: self.phase, step, to: None }
    }

    /// Returns whether the event happens before the thread's current action.
    pub(super) fn order(&self, thread: u32, it: &Stamp) -> Order {
        let ours = it.to.is_none() && it.block == self.block;
        if ours && (it.thread == thread || it.phase < self.phase) {
            return Order::Before;
        }
        self.known(thread).order(it)
    }

    fn known(&self, thread: u32) -> &Clock {
        self.own[thread as usize].as_ref().unwrap_or(&self.common)
    }

    fn learn(&mut self, thread: u32, clock: Clock) {
        if self.own[thread as usize].replace(clock).is_none() {
            self.ahead.push(thread);
        }
    }

    /// Lets lanes of a warp meet: each knows the actions and the knowledge of all of them.
    pub(super) fn meet(&mut self, warp: u32, lanes: u32) {
        let thread = |lane: usize| warp * WIDTH as u32 + lane as u32;
        let mut met = Clock::default();
        let mut steps = [0; WIDTH];
        for lane in each(lanes) {
            met.join(self.known(thread(lane)), true);
            let step = &mut self.steps[thread(lane) as usize];
            *step += 1;
            steps[lane] = *step;
        }
        let (block, phase) = (self.block, self.phase);
        met.change(|known| known.of(block).join(&Progress { phase, warps: vec![(warp, steps)] }));
        each(lanes).for_each(|lane| self.learn(thread(lane), met.clone()));
    }

    /// Lets all threads of the block meet.
    pub(super) fn meet_all(&mut self) {
        for thread in std::mem::take(&mut self.ahead) {
            if let Some(clock) = self.own[thread as usize].take() {
                self.common.join(&clock, true);
            }
        }
        self.phase += 1;
        let (block, phase) = (self.block, self.phase);
        self.common.change(|known| *known.of(block) = Progress { phase, warps: Vec::new() });
    }

    /// Returns the knowledge that all threads share since they met.
    pub(super) fn common(&mut self) -> &mut Clock {
        &mut self.common
    }

    /// Returns the thread's actions and knowledge so far, for others to acquire. Its next actions belong to a new
    /// step.
    pub(super) fn release(&mut self, thread: u32) -> Clock {
        let step = &mut self.steps[thread as usize];
        *step += 1;
        let (block, phase, step) = (self.block, self.phase, *step);
        let (warp, lane) = (thread / WIDTH as u32, thread as usize % WIDTH);
        let mut steps = [0; WIDTH];
        steps[lane] = step;
        let mut clock = self.known(thread).clone();
        clock.change(|known| known.of(block).join(&Progress { phase, warps: vec![(warp, steps)] }));
        clock
    }

    /// Adds the messages that came to the thread's block to its knowledge.
    pub(super) fn receive(&mut self, thread: u32) {
        let (mut clock, block) = (self.known(thread).clone(), self.block);
        clock.change(|known| {
            if !known.received.contains(&block) {
                known.received.push(block);
                known.received.sort_unstable();
            }
        });
        self.learn(thread, clock);
    }

    /// Adds released knowledge to the knowledge of the thread; if `real` is false, only as if all scopes were the grid.
    pub(super) fn acquire(&mut self, thread: u32, released: &Clock, real: bool) {
        let mut clock = self.known(thread).clone();
        clock.join(released, real);
        self.learn(thread, clock);
    }
}
