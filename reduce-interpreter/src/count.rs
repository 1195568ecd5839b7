//! Exact counts of a launch.

use super::address::{self, Field};
use reduce_ir::statements::Part;
use std::ops::AddAssign;

/// The counts of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCounts {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The number of blocks.
    pub grid: u64,
    /// The number of items.
    pub items: u64,
    /// The counts of each [`Part`], in the order of the parts.
    pub parts: [Counts; 4],
    shared_per_thread: [u64; 2],
    barriers_per_block: u64,
}

impl LaunchCounts {
    /// Returns the counts of one part.
    pub fn part(&self, part: Part) -> &Counts {
        &self.parts[part as usize]
    }

    /// Returns the counts of the launch. Maxima over threads or blocks are taken over all parts together.
    pub fn total(&self) -> Counts {
        let mut total = Counts { barriers_per_block: self.barriers_per_block, ..Counts::default() };
        self.parts.iter().for_each(|part| total += *part);
        [total.shared_loads.per_thread, total.shared_stores.per_thread] = self.shared_per_thread;
        total
    }
}

/// Event counts. *Warp-wide* means once for the lanes of a warp that execute together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Execution slots: 32 for every warp-wide execution of a statement that combines accumulators.
    pub slots: u64,
    /// The slots of active lanes.
    pub active: u64,
    /// Loads from global memory.
    pub global_loads: Global,
    /// Stores to global memory.
    pub global_stores: Global,
    /// Loads from shared memory.
    pub shared_loads: Shared,
    /// Stores to shared memory.
    pub shared_stores: Shared,
    /// Block barriers, once for each block.
    pub block_barriers: u64,
    /// The maximum number of block barriers of any block.
    pub barriers_per_block: u64,
    /// Warp barriers, warp-wide.
    pub warp_barriers: u64,
    /// Cluster barriers, once for each cluster.
    pub cluster_barriers: u64,
    /// Shuffles of an accumulator, warp-wide.
    pub shuffles: u64,
    /// Reductions of a warp's accumulators by one instruction, warp-wide.
    pub redux: u64,
    /// Atomics, once for each lane.
    pub atomics: u64,
    /// Fences, warp-wide.
    pub fences: u64,
    /// Branches whose lanes went both ways, warp-wide.
    pub divergent_branches: u64,
}

/// Accesses to global memory. A record is accessed field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Global {
    /// Warp-wide accesses. Profilers call them requests.
    pub accesses: u64,
    /// Lines of 128 bytes touched by each access. Textbooks call them requests.
    pub requests: u64,
    /// Sectors of 32 bytes touched by each access.
    pub sectors: u64,
    /// Bytes that lanes access.
    pub bytes: u64,
}

/// Accesses to shared memory, in 32 banks of 4 bytes. A record is accessed field by field. Accesses to the blocks
/// of a cluster count separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Warp-wide accesses.
    pub accesses: u64,
    /// Passes of these accesses through the banks: for each access, the maximum number of distinct words in one
    /// bank. Accesses of 8 bytes are made by half a warp at a time.
    pub wavefronts: u64,
    /// Wavefronts beyond the minimum.
    pub conflicts: u64,
    /// The maximum number of wavefronts of one access, or of half a warp.
    pub worst: u64,
    /// The maximum number of accesses of any thread.
    pub per_thread: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.slots += other.slots;
        self.active += other.active;
        self.global_loads += other.global_loads;
        self.global_stores += other.global_stores;
        self.shared_loads += other.shared_loads;
        self.shared_stores += other.shared_stores;
        self.block_barriers += other.block_barriers;
        self.barriers_per_block = self.barriers_per_block.max(other.barriers_per_block);
        self.warp_barriers += other.warp_barriers;
        self.cluster_barriers += other.cluster_barriers;
        self.shuffles += other.shuffles;
        self.redux += other.redux;
        self.atomics += other.atomics;
        self.fences += other.fences;
        self.divergent_branches += other.divergent_branches;
    }
}

impl AddAssign for Global {
    fn add_assign(&mut self, other: Global) {
        self.accesses += other.accesses;
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.bytes += other.bytes;
    }
}

impl AddAssign for Shared {
    fn add_assign(&mut self, other: Shared) {
        self.accesses += other.accesses;
        self.wavefronts += other.wavefronts;
        self.conflicts += other.conflicts;
        self.worst = self.worst.max(other.worst);
        self.per_thread = self.per_thread.max(other.per_thread);
    }
}

/// The direction of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Load,
    Store,
}

/// The counts of a launch that still runs.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) parts: [Counts; 4],
    shared_per_thread: [u64; 2],
    barriers_per_block: u64,
}

/// The counts of one block so far, by part.
#[derive(Clone)]
pub(super) struct BlockTally {
    barriers: [u64; 4],
    /// The loads and stores of each thread, by part.
    shared: Vec<[[u32; 4]; 2]>,
}

impl BlockTally {
    pub(super) fn new(threads: u32) -> BlockTally {
        BlockTally { barriers: [0; 4], shared: vec![[[0; 4]; 2]; threads as usize] }
    }

    /// Counts accesses of a thread to shared memory.
    pub(super) fn shared(&mut self, thread: u32, part: Part, direction: Direction, times: usize) {
        self.shared[thread as usize][direction as usize][part as usize] += times as u32;
    }

    /// Returns the maximum numbers of loads and of stores of any thread in the given parts.
    fn most_shared(&self, parts: std::ops::Range<usize>) -> [u64; 2] {
        let most = |direction: usize| {
            let times = |thread: &[[u32; 4]; 2]| thread[direction][parts.clone()].iter().sum::<u32>();
            self.shared.iter().map(times).max().unwrap_or(0).into()
        };
        [Direction::Load, Direction::Store].map(|direction| most(direction as usize))
    }

    /// Returns the number of threads of the block.
    pub(super) fn threads(&self) -> usize {
        self.shared.len()
    }

    /// Counts a block barrier.
    pub(super) fn barrier(&mut self, part: Part) {
        self.barriers[part as usize] += 1;
    }
}

impl Tally {
    pub(super) fn part(&mut self, part: Part) -> &mut Counts {
        &mut self.parts[part as usize]
    }

    /// Counts a warp-wide access to global memory: each field of the elements that start at the given addresses.
    pub(super) fn global(&mut self, part: Part, direction: Direction, starts: &[u64], fields: &[Field]) {
        let part = self.part(part);
        let counts = match direction {
            Direction::Load => &mut part.global_loads,
            Direction::Store => &mut part.global_stores,
        };
        fields.iter().for_each(|field| *counts += address::global(starts, *field));
    }

    /// Counts a warp-wide access to shared memory: each field of the records that start at the given addresses by
    /// lane.
    pub(super) fn shared(
        &mut self,
        part: Part,
        direction: Direction,
        starts: &[(usize, u64)],
        fields: &[Field],
    ) {
        let part = self.part(part);
        let counts = match direction {
            Direction::Load => &mut part.shared_loads,
            Direction::Store => &mut part.shared_stores,
        };
        fields.iter().for_each(|field| *counts += address::shared(starts, *field));
    }

    /// Adds the counts of a block that has ended.
    pub(super) fn end(&mut self, block: &BlockTally) {
        for (part, counts) in self.parts.iter_mut().enumerate() {
            let [loads, stores] = block.most_shared(part..part + 1);
            counts.shared_loads.per_thread = counts.shared_loads.per_thread.max(loads);
            counts.shared_stores.per_thread = counts.shared_stores.per_thread.max(stores);
            counts.block_barriers += block.barriers[part];
            counts.barriers_per_block = counts.barriers_per_block.max(block.barriers[part]);
        }
        let most = block.most_shared(0..4);
        self.shared_per_thread = [0, 1].map(|at| self.shared_per_thread[at].max(most[at]));
        self.barriers_per_block = self.barriers_per_block.max(block.barriers.iter().sum());
    }

    /// Returns the counts of the launch.
    pub(super) fn finish(self, kernel: &'static str, grid: u64, items: u64) -> LaunchCounts {
        let Tally { parts, shared_per_thread, barriers_per_block } = self;
        LaunchCounts { kernel, grid, items, parts, shared_per_thread, barriers_per_block }
    }
}
