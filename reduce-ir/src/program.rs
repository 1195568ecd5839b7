//! The program: the unit that passes rewrite, snapshots show, devices run and the interpreter checks.
//!
//! ```text
//! program = operation, domain, block, up to n, kernel kernel    -- one reads the inputs, one the partials of the level before
//! kernel  = name, reads, team, dependent, trigger, step*
//! team    = thread | warp | block | cluster | grid: the threads that share the items of one result
//! step    = fold      units × width elements in each thread, striped, blocked or in rows of its warp; or the rest, tile
//!                     after tile, until the items end
//!         | combine   thread | warp | block | cluster: items by serial | halving | pairs
//!                     through registers | shuffle | shared memory | global memory | distributed shared memory
//!         | keep      every thread's accumulator in the workspace, for a tree in place
//!         | exchange  of a grid: one partial a block (or cluster), through the next launch | the last block | an atomic
//! ```
//!
//! Passes rewrite steps and nothing else. From the steps follow the [`plan`] (which kernel on what
//! grid), the [`association`] (which element meets which) and, through the one lowering in
//! reduce-codegen, the [statements](crate::statements) that run.

pub mod association;
mod combine;
mod hints;
#[cfg(feature = "parse")]
mod parse;
pub mod plan;
mod print;
mod team;
mod verify;

pub use association::{Association, Level, Runs, Unit};
pub use combine::{Addressing, Combine, Lowering, Medium, Scope, Tree};
pub use hints::{Hint, Hints};
pub use plan::{Launch, Plan, Region};
pub use team::{Exchange, Share, Size, Team};
pub use verify::{LIMITS, Limits, Violation};

use crate::operation::Operation;
use crate::pass::Pass;
use crate::{Domain, Scalar};

/// A reduction as kernels, before lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What is computed.
    pub operation: Operation,
    /// Of which elements.
    pub domain: Domain,
    /// Threads among which the association divides a tile: those of a block, or as many as its team evaluates.
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
    /// The threads that share the items of one result.
    pub team: Team,
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
    /// The partials of a grid's blocks become one.
    Exchange(Exchange),
}

/// Each thread folds load units of `width` consecutive items, in index order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// How many load units each thread folds.
    pub share: Share,
    /// Items of a load unit.
    pub width: u32,
    /// Accumulators of a thread: item `i` of a load unit goes to number `i mod lanes`.
    pub lanes: u32,
    /// Where the units of a thread lie.
    pub arrangement: Arrangement,
    /// Of blocked units, is it the warp that has consecutive ones, in rows of 32, of each of which a thread has one, in an
    /// accumulator of its own?
    pub in_rows: bool,
    /// Its physical properties.
    pub hints: Hints,
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

impl Program {
    /// The most elements whose positions fit `u32`, of which the greatest is no position.
    pub const MOST_OF_U32: u64 = u32::MAX as u64;

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
        let units = match (fold.share, kernel.in_place()) {
            (_, Some(tree)) => return tree.items.into(),
            (Share::Units(units), None) => units,
            (Share::Rest, None) => 1,
        };
        // Saturates only in programs that the verifier refuses.
        (u64::from(self.block) * u64::from(units)).saturating_mul(fold.width.into())
    }

    /// Blocks that a kernel is launched with, at most.
    pub fn most_blocks(&self, reads: Reads) -> u64 {
        let kernel = self.kernel(reads);
        match kernel.team.size {
            Size::Thread | Size::Warp | Size::Block => 1,
            Size::Cluster => kernel.cluster().into(),
            Size::Grid { most } => most.map_or(u64::MAX, u64::from),
        }
    }

    /// Is one launch enough for every n that it is for?
    pub fn has_one_launch(&self) -> bool {
        let first = self.kernel(Reads::Inputs);
        !first.team.is_grid() || first.has_ticket()
    }

    /// Threads of the blocks that a kernel is launched with. Groups whose teams are smaller than a block share one.
    pub fn threads(&self, reads: Reads) -> u32 {
        match self.kernel(reads).team {
            Team { size: Size::Thread | Size::Warp, logical: 2.. } | Team { size: Size::Warp, .. } => {
                self.shared_block()
            }
            Team { size: Size::Thread | Size::Block | Size::Cluster | Size::Grid { .. }, .. } => self.block,
        }
    }

    /// Groups that share a block of a kernel.
    pub fn groups_of_block(&self, reads: Reads) -> u32 {
        let team = self.kernel(reads).team;
        match team.size {
            Size::Thread if team.logical > 1 => self.threads(reads),
            Size::Warp => self.threads(reads) / Program::WARP,
            Size::Thread | Size::Block | Size::Cluster | Size::Grid { .. } => 1,
        }
    }

    /// Threads of a block that several groups share: of one group, a warp.
    fn shared_block(&self) -> u32 {
        if self.domain.is_grouped() { 4 * Program::WARP } else { Program::WARP }
    }

    /// Settles what follows from the tile and the range of the program. Items that fit one tile belong to a block, and those
    /// that fit the tiles of a cluster to that: such a team leaves the result, and exchanges nothing. Positions of 32 bits
    /// leave room for a tile, so that those of absent items fit as well.
    #[must_use]
    pub fn settled(mut self) -> Program {
        let cluster = self.kernel(Reads::Inputs).cluster();
        let most = self.tile(Reads::Inputs).saturating_mul(cluster.into());
        if self.operation.position == Scalar::U32 {
            let whole = ((1 << 32) / most.max(1)).saturating_sub(1) * most;
            self.up_to = Some(self.up_to.unwrap_or(u64::MAX).min(Program::MOST_OF_U32).min(whole));
        }
        if self.kernel(Reads::Inputs).is_one_tile() {
            self.up_to = Some(self.up_to.unwrap_or(u64::MAX).min(most));
        }
        let fits = self.up_to.is_some_and(|n| n <= most);
        let first = &mut self.kernels[Reads::Inputs as usize];
        if fits && first.fold().units().is_some() && first.exchange() == Some(Exchange::NextLaunch) {
            first.team.size = if cluster > 1 { Size::Cluster } else { Size::Block };
            first.steps.retain(|step| !matches!(step, Step::Exchange(_)));
        }
        self
    }

    /// The oldest compute capability that it is for, written as in `sm_90`.
    pub fn capability(&self) -> u32 {
        let combines = || self.kernels.iter().flat_map(Kernel::combines);
        let dependent = self.kernels.iter().any(|kernel| kernel.dependent || kernel.trigger);
        if dependent || combines().any(|combine| combine.scope == Scope::Cluster) {
            90
        } else if combines().any(|combine| combine.lowering == Lowering::WarpReduce) {
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
        share: Share::Units(1),
        width: 1,
        lanes: 1,
        arrangement: Arrangement::Striped,
        in_rows: false,
        hints: Hints { unrolled: false, streaming: false },
    };

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
        if let Share::Units(units) = self.share { Some(units) } else { None }
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

    /// How the blocks of its grid meet. `None`: its team leaves the result, or it keeps items for a tree in place.
    pub fn exchange(&self) -> Option<Exchange> {
        self.steps
            .iter()
            .find_map(|step| if let Step::Exchange(exchange) = step { Some(*exchange) } else { None })
    }

    /// Do its blocks meet in an atomic?
    pub fn is_atomic(&self) -> bool {
        self.exchange() == Some(Exchange::Atomic)
    }

    /// Do its blocks take tickets?
    pub fn has_ticket(&self) -> bool {
        matches!(self.exchange(), Some(Exchange::LastBlock { .. }))
    }

    /// Do its partials carry flags?
    pub fn has_flags(&self) -> bool {
        self.exchange() == Some(Exchange::LastBlock { flags: true })
    }

    /// Does each thread fold its items in their order?
    pub fn is_in_order(&self) -> bool {
        let fold = self.fold();
        let one_unit = fold.share == Share::Units(1) || self.team == Team::THREAD;
        fold.arrangement == Arrangement::Blocked || (one_unit && !fold.shares_lanes())
    }

    /// Are the items of its team one tile, of one block at most? Then they begin with the first of the group.
    pub fn is_one_tile(&self) -> bool {
        matches!(self.team.size, Size::Thread | Size::Warp | Size::Block) && self.fold().units().is_some()
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
