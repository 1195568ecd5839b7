//! A warp: its registers, and the groups of lanes that are at the same statement.

use super::domain::Acc;
use super::schedule::{Branches, Random, Schedule, Warps};
use std::cmp::Reverse;

/// The number of lanes of a warp.
pub(super) const WIDTH: usize = 32;

/// One value for each lane of a warp.
pub type PerLane<T> = [T; WIDTH];

/// Iterates over the lanes of a mask.
pub(super) fn each(mut lanes: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes.wrapping_sub(1);
        (lane < WIDTH).then_some(lane)
    })
}

/// Returns the mask of the lanes that satisfy a predicate.
pub(super) fn mask(holds: impl Fn(usize) -> bool) -> u32 {
    (0..WIDTH).rev().fold(0, |lanes, lane| lanes << 1 | u32::from(holds(lane)))
}

/// Lanes that execute together. No two groups share a lane, and no two waiting groups are at the same statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) lanes: u32,
    pub(super) pc: usize,
    /// Whether it waits for other lanes at a barrier or shuffle.
    pub(super) waits: bool,
    /// The number of executed statements that are visible to other threads. Every turn of a spin loop has one.
    pub(super) visible: u32,
}

impl Group {
    /// Returns the rounds of `SPINS` visible statements. Groups of fewer rounds go first: a spinning group yields
    /// to those it waits for.
    fn rounds(&self) -> u32 {
        self.visible / SPINS
    }
}

/// The number of visible statements of a group before the other groups of its warp take precedence.
const SPINS: u32 = 256;

pub(super) struct Warp {
    pub(super) number: u32,
    pub(super) groups: Vec<Group>,
    /// Lanes that have ended, or that the block does not have.
    pub(super) ended: u32,
    /// Lanes that have arrived at a cluster barrier, but have not waited for it yet.
    pub(super) arrived: u32,
    /// Lanes that have waited for the previous launch.
    pub(super) awaited: u32,
    pub(super) scalars: Vec<PerLane<u64>>,
    pub(super) accs: Vec<PerLane<Option<Acc>>>,
    /// The number of executed statements.
    pub(super) executed: u64,
    /// Whether the last statement found that the thing it waits for is not there yet.
    pub(super) polls: bool,
}

impl Warp {
    /// Creates a warp of a block of `threads` threads, with the given numbers of registers.
    pub(super) fn new(number: u32, threads: u32, scalars: usize, accs: usize) -> Warp {
        let lanes = (threads - number * WIDTH as u32).min(WIDTH as u32);
        let present = u32::MAX >> (WIDTH as u32 - lanes);
        Warp {
            number,
            groups: vec![Group { lanes: present, pc: 0, waits: false, visible: 0 }],
            ended: !present,
            arrived: 0,
            awaited: 0,
            scalars: vec![[0; WIDTH]; scalars],
            accs: vec![[None; WIDTH]; accs],
            executed: 0,
            polls: false,
        }
    }

    /// Takes the registers of a warp that has ended. Their contents are never read.
    pub(super) fn reuse(&mut self, old: Warp) {
        (self.scalars, self.accs) = (old.scalars, old.accs);
    }

    /// Returns the thread of a lane.
    pub(super) fn thread(&self, lane: usize) -> u32 {
        self.number * WIDTH as u32 + lane as u32
    }

    /// Returns whether any group can continue.
    pub(super) fn runs(&self) -> bool {
        self.groups.iter().any(|group| !group.waits)
    }

    /// Returns the group to execute next, after merging the groups that meet there.
    pub(super) fn pick(&mut self, schedule: Schedule, random: &mut Random) -> Option<usize> {
        if let [group] = self.groups.as_slice() {
            return (!group.waits).then_some(0);
        }
        let running = self.groups.iter().enumerate().filter(|(_, group)| !group.waits);
        match (schedule.branches, schedule.warps) {
            (Branches::Converging, _) => {
                let at = running.min_by_key(|(_, group)| (group.rounds(), group.pc))?.0;
                Some(self.merge(at))
            }
            (Branches::Diverging, Warps::Forward | Warps::Backward) => {
                Some(running.max_by_key(|(_, group)| (Reverse(group.rounds()), group.pc))?.0)
            }
            (Branches::Diverging, Warps::Random(_)) => {
                let running: Vec<_> = running.map(|(at, _)| at).collect();
                (!running.is_empty()).then(|| running[random.below(running.len())])
            }
        }
    }

    /// Lets a group wait, merged with the groups that wait at the same statement; returns its new place.
    pub(super) fn wait(&mut self, at: usize) -> usize {
        self.groups[at].waits = true;
        self.merge(at)
    }

    /// Merges a group with those that are at the same statement and wait as it does; returns its new place.
    fn merge(&mut self, at: usize) -> usize {
        let Group { pc, waits, .. } = self.groups[at];
        let same = |group: &Group| group.pc == pc && group.waits == waits;
        let lanes = self.groups.iter().filter(|it| same(it)).fold(0, |lanes, it| lanes | it.lanes);
        let visible = self.groups.iter().filter(|it| same(it)).map(|it| it.visible).max().unwrap_or(0);
        self.groups.retain(|group| !same(group));
        self.groups.push(Group { lanes, pc, waits, visible });
        self.groups.len() - 1
    }

    /// Splits lanes off their group. They continue at `pc`.
    pub(super) fn split(&mut self, at: usize, lanes: u32, pc: usize) {
        let group = &mut self.groups[at];
        group.lanes &= !lanes;
        let other = Group { lanes, pc, ..*group };
        self.groups.push(other);
    }

    /// Ends a group.
    pub(super) fn end(&mut self, at: usize) {
        self.ended |= self.groups.swap_remove(at).lanes;
    }
}
