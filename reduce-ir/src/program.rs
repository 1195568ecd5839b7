//! The program: the unit that passes rewrite, snapshots show, devices run and the interpreter checks.
//!
//! ```text
//! program = operation, block, up to n, kernel kernel    -- one reads the inputs, one the partials of the level before
//! kernel  = name, reads, dependent, trigger, step*
//! step    = fold     units × width elements in each thread, striped, blocked or in rows of its warp, or all that a
//!                    grid comes across, or all in one block, or everything in one thread
//!         | combine  thread | warp | block | cluster: items by serial | halving | pairs
//!                    through registers | shuffle | shared memory | global memory | distributed shared memory
//!         | keep     every thread's accumulator in the workspace, for a tree in place
//!         | grid     one partial a block (or cluster), through the next launch | a ticket | an atomic
//! ```
//!
//! Passes rewrite steps and nothing else. From the steps follow the [`plan`] (which kernel on what
//! grid), the [`association`] (which element meets which) and, through the one expansion in
//! reduce-codegen, the [statements](crate::expanded) that run.

pub mod association;
mod combine;
pub mod plan;
mod print;
mod verify;

pub use association::{Association, Level, Runs, Unit};
pub use combine::{Addressing, Combine, How, Medium, Scope, Tree};
pub use plan::{Launch, Plan, Region};
pub use verify::{LIMITS, Limits, Violation};

use crate::near::Near;
use crate::operation::{Operation, Record};
use crate::pass::Pass;
use crate::redux::Redux;

/// A reduction as kernels, before expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What is computed.
    pub operation: Operation,
    /// Threads per block.
    pub block: u32,
    /// The most elements that it is for; without one, it is for all numbers of elements.
    pub up_to: Option<u64>,
    /// The passes applied so far, in order.
    pub passes: Vec<Pass>,
    /// The kernel over the inputs, and the kernel over the partials.
    pub kernels: [Kernel; 2],
}

/// One kernel: steps from the items it reads to one partial a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name in CUDA.
    pub name: &'static str,
    /// What its items are.
    pub reads: Reads,
    /// May it begin while the previous launch still runs? It waits for that before all else.
    pub dependent: bool,
    /// Does it let the next launch begin as soon as a warp of each block has folded its items?
    pub trigger: bool,
    /// What it does, in order.
    pub steps: Vec<Step>,
}

/// What the items of a kernel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reads {
    /// Elements of the inputs, which it maps.
    Inputs,
    /// Accumulators that the level before left.
    Partials,
}

/// A statement at the level of reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Each thread folds its items.
    Fold(Fold),
    /// The items of a scope become one.
    Combine(Combine),
    /// Each thread leaves its accumulator in the workspace, where the next kernel combines them in place.
    Keep,
    /// The blocks' partials become one.
    Grid(GridMedium),
}

/// Each thread folds load units of `width` consecutive items, in index order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// Which load units each thread folds.
    pub reach: Reach,
    /// Items of a load unit.
    pub width: u32,
    /// Accumulators of a thread: item `i` of a load unit goes to number `i mod lanes`.
    pub lanes: u32,
    /// Where the units of a thread lie.
    pub arrangement: Arrangement,
    /// Of blocked units, is it the warp that has consecutive ones, in rows of 32, of each of which a thread has one, in an
    /// accumulator of its own?
    pub in_rows: bool,
    /// Is the loop over units unrolled?
    pub unrolled: bool,
    /// Do vector loads say that nobody reads the elements again?
    pub streaming: bool,
    /// Do positions take 32 bits? They count from the tile's first element, until the block's accumulator leaves it; or, in
    /// a program whose partials are near, from the first of all.
    pub near: bool,
}

/// Where the load units of a thread lie in a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// `block × width` items apart, between those of the other threads.
    #[default]
    Striped,
    /// One after the other: a thread has consecutive items, and one lane, which keeps their order. What one block has is
    /// cut into [runs](association::Runs).
    Blocked,
}

/// Which load units a thread folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// So many of the block's tile.
    Units(u32),
    /// All that a grid of at most so many blocks comes across, `blocks × block × width` items apart.
    GridStride(u32),
    /// Everything, in the threads of one block: striped, `block × width` items apart, or blocked, in consecutive runs.
    OneBlock,
    /// Everything, in thread 0 of one block; the other threads have nothing.
    Everything,
}

/// What the combination of the blocks goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GridMedium {
    /// Partials in the workspace, and another launch that reads them.
    NextLaunch,
    /// Partials in the workspace, and a count of the blocks that left one: the last of them does in the same launch what
    /// the kernel over partials would.
    Ticket,
    /// The same, but each partial carries a flag, and the count is of blocks that run: the last of them waits for the flags.
    Flags,
    /// One accumulator in the workspace, which each block combines its own into.
    Atomic,
}

impl Program {
    /// Threads of a warp, on every architecture.
    pub const WARP: u32 = 32;

    /// Bytes of shared memory that count the messages of a block: an mbarrier (PTX ISA, parallel synchronization instructions).
    pub const COUNT_OF_MESSAGES: usize = 8;

    /// The kernel that has those items.
    pub fn kernel(&self, reads: Reads) -> &Kernel {
        &self.kernels[reads as usize]
    }

    /// Items that lie together and that one block of a kernel reads: all of its items, or those of one round
    /// of a grid-stride loop.
    pub fn tile(&self, reads: Reads) -> u64 {
        let kernel = self.kernel(reads);
        let fold = kernel.fold();
        let units = match (fold.reach, kernel.in_place()) {
            (_, Some(tree)) => return tree.items.into(),
            (Reach::Units(units), None) => units,
            (Reach::GridStride(_) | Reach::OneBlock | Reach::Everything, None) => 1,
        };
        // Saturates only in programs that the verifier refuses.
        (u64::from(self.block) * u64::from(units)).saturating_mul(fold.width.into())
    }

    /// Blocks that a kernel is launched with, at most.
    pub fn most_blocks(&self, reads: Reads) -> u64 {
        match self.kernel(reads).fold().reach {
            Reach::Units(_) => u64::MAX,
            Reach::GridStride(blocks) => blocks.into(),
            Reach::OneBlock | Reach::Everything => 1,
        }
    }

    /// Is one launch enough for every n that it is for?
    pub fn has_one_launch(&self) -> bool {
        // More elements never take fewer launches.
        self.plan().launches(self.up_to.unwrap_or(u64::MAX)).len() == 1
    }

    /// Does one block, or cluster, have all elements, whatever n it is launched for?
    pub fn is_alone(&self) -> bool {
        let first = self.plan().launches(self.up_to.unwrap_or(u64::MAX))[0];
        first.grid == self.kernel(Reads::Inputs).cluster().into() && first.is_last
    }

    /// Do positions count from the first element of all, in 32 bits, until the result? Then partials are near as well.
    pub fn has_near_partials(&self) -> bool {
        self.kernel(Reads::Partials).fold().near
    }

    /// What the blocks leave: accumulators, or near ones.
    pub fn partial(&self) -> Record {
        let near = self.has_near_partials().then(|| Near::of(&self.operation)).flatten();
        near.map_or_else(|| self.operation.acc.clone(), |near| near.acc.clone())
    }

    /// Do accumulators in such a combination of a kernel fit the instruction, which takes positions of 32 bits?
    pub fn fits_redux(&self, redux: &Redux, kernel: &Kernel, scope: Scope) -> bool {
        let near = if scope == Scope::Cluster { self.has_near_partials() } else { kernel.fold().near };
        near || !redux.has_positions()
    }

    /// The oldest compute capability that it is for, written as in `sm_90`.
    pub fn capability(&self) -> u32 {
        let combines = || self.kernels.iter().flat_map(Kernel::combines);
        let dependent = self.kernels.iter().any(|kernel| kernel.dependent || kernel.trigger);
        if dependent || combines().any(|combine| combine.scope == Scope::Cluster) {
            90
        } else if combines().any(|combine| combine.how == How::Redux) {
            80
        } else {
            75
        }
    }

    /// Warps of a block.
    pub fn warps(&self) -> u32 {
        self.block / Program::WARP
    }

    /// The plan.
    pub fn plan(&self) -> Plan {
        Plan::of(self)
    }

    /// The association.
    pub fn association(&self) -> Association {
        Association::of(self)
    }
}

impl Fold {
    /// One item a thread.
    pub const NAIVE: Fold = Fold {
        reach: Reach::Units(1),
        width: 1,
        lanes: 1,
        arrangement: Arrangement::Striped,
        in_rows: false,
        unrolled: false,
        streaming: false,
        near: false,
    };

    /// Does it keep the order of the elements?
    pub fn is_in_order(&self) -> bool {
        let one_unit = matches!(self.reach, Reach::Units(1) | Reach::Everything);
        self.arrangement == Arrangement::Blocked || (one_unit && !self.shares_lanes())
    }

    /// Do items of a load unit share lanes, not in their order?
    pub fn shares_lanes(&self) -> bool {
        self.arrangement == Arrangement::Striped && self.lanes < self.width
    }

    /// Items of a load unit that go to the same lane.
    pub fn items_of_a_lane(&self) -> u32 {
        self.width / self.lanes.max(1)
    }

    /// Rows of a warp, each of which has an accumulator in every thread.
    pub fn rows(&self) -> u32 {
        if self.in_rows { self.units().unwrap_or(1) } else { 1 }
    }

    /// Load units of a thread, where that is a number.
    pub fn units(&self) -> Option<u32> {
        if let Reach::Units(units) = self.reach { Some(units) } else { None }
    }
}

impl Kernel {
    /// Its fold. A kernel without one, which has a tree in place, is as one that takes an item in each thread.
    pub fn fold(&self) -> Fold {
        let find = |step: &Step| if let Step::Fold(fold) = step { Some(*fold) } else { None };
        self.steps.iter().find_map(find).unwrap_or(Fold::NAIVE)
    }

    /// Its tree in place, if it has one.
    pub fn in_place(&self) -> Option<Combine> {
        self.combines().find(|combine| matches!(combine.medium, Medium::Global(_)))
    }

    /// Do its blocks meet in an atomic?
    pub fn is_atomic(&self) -> bool {
        self.steps.contains(&Step::Grid(GridMedium::Atomic))
    }

    /// Do its blocks take tickets?
    pub fn has_ticket(&self) -> bool {
        self.steps.contains(&Step::Grid(GridMedium::Ticket)) || self.has_flags()
    }

    /// Do its partials carry flags?
    pub fn has_flags(&self) -> bool {
        self.steps.contains(&Step::Grid(GridMedium::Flags))
    }

    /// Blocks of a cluster: 1 where blocks do not see each other's shared memory.
    pub fn cluster(&self) -> u32 {
        self.combines().find(|combine| combine.scope == Scope::Cluster).map_or(1, |combine| combine.items)
    }

    /// Its combinations, in order.
    pub fn combines(&self) -> impl Iterator<Item = Combine> {
        self.steps
            .iter()
            .filter_map(|step| if let Step::Combine(combine) = step { Some(*combine) } else { None })
    }
}
