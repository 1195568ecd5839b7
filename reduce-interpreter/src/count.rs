//! What a launch does, counted exactly.

use super::address::{self, Field};
use reduce_ir::statements::Part;
use std::ops::AddAssign;

/// What a launch did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCounts {
    /// The kernel.
    pub kernel: &'static str,
    /// Its blocks.
    pub grid: u64,
    /// Its items.
    pub items: u64,
    /// The counts of each [`Part`], in their order.
    pub parts: [Counts; 4],
    shared_per_thread: [u64; 2],
    barriers_per_block: u64,
}

impl LaunchCounts {
    /// The counts of one part.
    pub fn part(&self, part: Part) -> &Counts {
        &self.parts[part as usize]
    }

    /// The counts of the launch. What is the most of any thread or block is counted over all parts.
    pub fn total(&self) -> Counts {
        let mut total = Counts { barriers_per_block: self.barriers_per_block, ..Counts::default() };
        self.parts.iter().for_each(|part| total += *part);
        [total.shared_loads.per_thread, total.shared_stores.per_thread] = self.shared_per_thread;
        total
    }
}

/// Counts. *Warp-wide* means once for the lanes of a warp that execute together.
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
    /// Block barriers, once for each block that meets.
    pub block_barriers: u64,
    /// The most block barriers of any block.
    pub barriers_per_block: u64,
    /// Warp barriers, warp-wide.
    pub warp_barriers: u64,
    /// Cluster barriers, once for each cluster that meets.
    pub cluster_barriers: u64,
    /// Shuffles of an accumulator, warp-wide.
    pub shuffles: u64,
    /// What a warp's accumulators combine to, found at once.
    pub redux: u64,
    /// Atomics, once for each lane.
    pub atomics: u64,
    /// Fences, warp-wide.
    pub fences: u64,
    /// Branches, warp-wide, whose lanes went both ways.
    pub divergent_branches: u64,
}

/// Accesses to global memory. A record is accessed field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Global {
    /// Warp-wide accesses: what profilers call requests.
    pub accesses: u64,
    /// Lines of 128 bytes touched by each access: what textbooks call requests.
    pub requests: u64,
    /// Sectors of 32 bytes touched by each access.
    pub sectors: u64,
    /// Bytes that lanes asked for.
    pub bytes: u64,
}

/// Accesses to shared memory, in 32 banks of 4 bytes. A record is accessed field by field, and each block of a cluster
/// apart from the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Warp-wide accesses.
    pub accesses: u64,
    /// The passes they take: for each access, the most different words that one bank is asked for; accesses
    /// of 8 bytes go half a warp at a time.
    pub wavefronts: u64,
    /// Wavefronts beyond the fewest possible.
    pub conflicts: u64,
    /// The most wavefronts of an access, or of half a warp.
    pub worst: u64,
    /// The most accesses of any thread.
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

/// Loads or stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Load,
    Store,
}

/// Counts in the making.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) parts: [Counts; 4],
    shared_per_thread: [u64; 2],
    barriers_per_block: u64,
}

/// What one block has done so far: the parts, and all of them.
#[derive(Clone)]
pub(super) struct BlockTally {
    barriers: [u64; 4],
    /// Of each thread: loads and stores.
    shared: Vec<[[u32; 4]; 2]>,
}

impl BlockTally {
    pub(super) fn new(threads: u32) -> BlockTally {
        BlockTally { barriers: [0; 4], shared: vec![[[0; 4]; 2]; threads as usize] }
    }

    /// A thread accesses shared memory so many times.
    pub(super) fn shared(&mut self, thread: u32, part: Part, direction: Direction, times: usize) {
        self.shared[thread as usize][direction as usize][part as usize] += times as u32;
    }

    /// The most loads and stores of any thread, of those parts.
    fn most_shared(&self, parts: std::ops::Range<usize>) -> [u64; 2] {
        let most = |direction: usize| {
            let times = |thread: &[[u32; 4]; 2]| thread[direction][parts.clone()].iter().sum::<u32>();
            self.shared.iter().map(times).max().unwrap_or(0).into()
        };
        [Direction::Load, Direction::Store].map(|direction| most(direction as usize))
    }

    /// Threads of the block.
    pub(super) fn threads(&self) -> usize {
        self.shared.len()
    }

    /// The block meets.
    pub(super) fn barrier(&mut self, part: Part) {
        self.barriers[part as usize] += 1;
    }
}

impl Tally {
    pub(super) fn part(&mut self, part: Part) -> &mut Counts {
        &mut self.parts[part as usize]
    }

    /// A warp-wide access to global memory: each field of the element that starts at each address.
    pub(super) fn global(&mut self, part: Part, direction: Direction, starts: &[u64], fields: &[Field]) {
        let part = self.part(part);
        let counts = match direction {
            Direction::Load => &mut part.global_loads,
            Direction::Store => &mut part.global_stores,
        };
        fields.iter().for_each(|field| *counts += address::global(starts, *field));
    }

    /// A warp-wide access to shared memory: each field of the record that starts at each lane's address.
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

    /// A block has ended.
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

    /// The counts of the launch.
    pub(super) fn finish(self, kernel: &'static str, grid: u64, items: u64) -> LaunchCounts {
        let Tally { parts, shared_per_thread, barriers_per_block } = self;
        LaunchCounts { kernel, grid, items, parts, shared_per_thread, barriers_per_block }
    }
}
