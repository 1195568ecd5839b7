//! Blocks in flight, by clusters: their warps, their shared memory and their barriers.

use super::clock::{Clock, Clocks};
use super::code::Code;
use super::count::BlockTally;
use super::domain::Acc;
use super::memory::Cell;
use super::messages::Mail;
use super::sync::Fences;
use super::warp::{WIDTH, Warp, each};

/// A running block.
pub(super) struct Block {
    pub(super) number: u64,
    pub(super) warps: Vec<Warp>,
    pub(super) clocks: Clocks,
    pub(super) fences: Fences,
    pub(super) tally: BlockTally,
    pub(super) mail: Mail,
    /// Whether the block has met the other blocks of its cluster at a cluster barrier, so that all have started.
    pub(super) met: bool,
    /// Whether all threads have ended.
    pub(super) ended: bool,
}

/// The blocks that can access each other's shared memory.
pub(super) struct Cluster {
    pub(super) number: u64,
    pub(super) blocks: Vec<Block>,
    /// The shared memory, by rank of the block, array and element.
    pub(super) shared: Vec<Vec<Vec<Cell<Acc>>>>,
    /// The lists, by rank of the block. The last cell of a list is its length.
    pub(super) lists: Vec<Vec<Vec<Cell<u64>>>>,
}

/// The state of a block in which no thread can continue.
pub(super) enum BlockState {
    /// All threads have ended.
    Ended,
    /// All threads wait at that statement.
    Together(usize),
    /// The threads are at different statements, or some have ended.
    Diverged,
}

impl Block {
    pub(super) fn new(number: u64, code: &Code<'_>) -> Block {
        let threads = code.kernel.block;
        let warps = threads.div_ceil(WIDTH as u32);
        Block {
            number,
            warps: (0..warps).map(|it| Warp::new(it, threads, code.scalars, code.accs)).collect(),
            clocks: Clocks::new(number as u32, threads),
            fences: Fences::default(),
            tally: BlockTally::new(threads),
            mail: Mail::default(),
            met: false,
            ended: false,
        }
    }

    /// Returns whether any warp can continue.
    pub(super) fn runs(&self) -> bool {
        self.warps.iter().any(Warp::runs)
    }

    /// Returns the state of the threads. Called when none can continue.
    pub(super) fn state(&self) -> BlockState {
        let mut groups = self.warps.iter().flat_map(|warp| &warp.groups);
        let Some(first) = groups.next() else { return BlockState::Ended };
        let together = groups.all(|group| group.pc == first.pc);
        if together && !self.any_ended() { BlockState::Together(first.pc) } else { BlockState::Diverged }
    }

    fn any_ended(&self) -> bool {
        // The lanes beyond the block's threads have no group.
        let waiting = self.warps.iter().flat_map(|warp| &warp.groups).map(|it| it.lanes.count_ones());
        (waiting.sum::<u32>() as usize) < self.tally.threads()
    }

    /// Returns the number of threads that have arrived since all threads waited.
    pub(super) fn arrived(&self) -> u32 {
        self.warps.iter().map(|warp| warp.arrived.count_ones()).sum()
    }

    /// Replaces the condition of each thread by whether it holds for any thread.
    pub(super) fn vote(&mut self, register: usize) {
        let present = |warp: &Warp| warp.groups.iter().fold(0, |lanes, group| lanes | group.lanes);
        let holds = |warp: &Warp| each(present(warp)).any(|lane| warp.scalars[register][lane] != 0);
        let any = self.warps.iter().any(holds);
        self.warps.iter_mut().for_each(|warp| warp.scalars[register] = [any.into(); WIDTH]);
    }

    /// Replaces the value of each thread by the sum of the values of lower threads, and writes the sum of all.
    pub(super) fn sum_before(&mut self, register: usize, total: usize) {
        let mut sum = 0;
        for warp in &mut self.warps {
            let present = warp.groups.iter().fold(0, |lanes, group| lanes | group.lanes);
            for lane in each(present) {
                let value = std::mem::replace(&mut warp.scalars[register][lane], sum);
                sum = (sum + value) & u64::from(u32::MAX);
            }
        }
        self.warps.iter_mut().for_each(|warp| warp.scalars[total] = [sum; WIDTH]);
    }

    /// Lets every waiting thread continue after its barrier.
    pub(super) fn release(&mut self) {
        for group in self.warps.iter_mut().flat_map(|warp| &mut warp.groups) {
            (group.pc, group.waits) = (group.pc + 1, false);
        }
    }
}

impl Cluster {
    /// Creates the blocks of a cluster, with uninitialised shared memory.
    pub(super) fn new(number: u64, code: &Code<'_>) -> Cluster {
        let kernel = code.kernel;
        let size = u64::from(kernel.cluster.max(1));
        let array = |len| vec![Cell::new(None); kernel.constant(len) as usize];
        let arrays = || kernel.shared.iter().map(|it| array(it.len)).collect();
        let list = |most| vec![Cell::new(None); kernel.constant(most) as usize + 1];
        let lists = || kernel.lists.iter().map(|it| list(it.most)).collect();
        Cluster {
            number,
            blocks: (0..size).map(|rank| Block::new(number * size + rank, code)).collect(),
            shared: (0..size).map(|_| arrays()).collect(),
            lists: (0..size).map(|_| lists()).collect(),
        }
    }

    /// Turns an ended cluster into another one, and reuses its memory.
    pub(super) fn restart(&mut self, number: u64, code: &Code<'_>) {
        let size = self.blocks.len() as u64;
        self.number = number;
        for (block, rank) in self.blocks.iter_mut().zip(0..) {
            let registers = std::mem::take(&mut block.warps);
            *block = Block::new(number * size + rank, code);
            block.warps.iter_mut().zip(registers).for_each(|(warp, old)| warp.reuse(old));
        }
        self.shared.iter_mut().flatten().flatten().for_each(Cell::clear);
        self.lists.iter_mut().flatten().flatten().for_each(Cell::clear);
    }

    /// Returns whether any block can continue.
    pub(super) fn runs(&self) -> bool {
        self.blocks.iter().any(Block::runs)
    }

    /// Lets all blocks continue after a wait for the cluster. It orders no memory operations.
    pub(super) fn run(&mut self) {
        for block in &mut self.blocks {
            block.met = true;
            block.warps.iter_mut().for_each(|warp| warp.arrived = 0);
            block.release();
        }
    }

    /// Lets all blocks meet at a cluster barrier.
    pub(super) fn meet(&mut self) {
        let mut met = Clock::default();
        for block in &mut self.blocks {
            block.clocks.meet_all();
            met.join(block.clocks.common(), true);
        }
        for block in &mut self.blocks {
            block.clocks.common().join(&met, true);
            block.met = true;
            block.release();
        }
    }
}
