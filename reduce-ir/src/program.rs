//! The program: the unit that passes rewrite, snapshots show, devices run and the interpreter checks.
//!
//! ```text
//! program = operation, domain, block, up to n, kernel kernel    -- over the inputs, and over the partials of the level before
//! kernel  = name, reads, team, dependent, trigger, step*
//! team    = thread | warp | block | cluster | grid: the threads that share the items of one result
//! step    = fold      units × width elements in each thread, striped, blocked or in rows of its warp; or the rest, tile
//!                     after tile, until the items end
//!         | combine   thread | warp | block | cluster: items by serial | halving | pairs
//!                     through registers | shuffle | shared memory | global memory | distributed shared memory
//!         | keep      every thread's accumulator in the workspace, for a tree in place
//!         | exchange  of a grid: one partial per block (or cluster), through the next launch | the last block | an atomic
//! ```
//!
//! Passes rewrite steps and nothing else. The steps determine the [`plan`] (kernels and their grids), the [`association`] (the
//! tree in which elements are combined) and, through the one lowering in reduce-codegen, the
//! [statements](crate::statements) that run.

pub mod association;
mod beside;
mod combine;
mod hints;
#[cfg(feature = "parse")]
mod parse;
pub mod plan;
mod print;
mod team;
mod verify;

pub use association::{Association, Level, Runs, Unit};
pub use beside::Divided;
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
    /// The operation.
    pub operation: Operation,
    /// The groups of elements that it reduces.
    pub domain: Domain,
    /// The threads among which the association divides a tile: the threads of a block, or the logical threads of a smaller team.
    pub block: u32,
    /// The greatest number of elements that it supports. `None`: it supports every number of elements.
    pub up_to: Option<u64>,
    /// The passes applied so far, in order.
    pub passes: Vec<Pass>,
    /// The kernel over the inputs, and the kernel over the partials.
    pub kernels: Vec<Kernel>,
}

/// One kernel: steps from the items it reads to one partial per block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name in CUDA.
    pub name: &'static str,
    /// The kind of its items.
    pub reads: Reads,
    /// The threads that share the items of one result.
    pub team: Team,
    /// Whether it may begin while the previous launch still runs. It then waits for that launch before all else.
    pub dependent: bool,
    /// Whether it lets the next launch begin as soon as a warp of each block has folded its items.
    pub trigger: bool,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// The kind of a kernel's items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reads {
    /// Elements of the inputs, which the kernel maps.
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
    /// The load units that each thread folds.
    pub share: Share,
    /// The number of items in a load unit.
    pub width: u32,
    /// The number of accumulators of a thread: item `i` of a load unit goes to accumulator `i mod lanes`.
    pub lanes: u32,
    /// Where the units of a thread lie.
    pub arrangement: Arrangement,
    /// Whether blocked units are warp-striped: the warp has consecutive units, in rows of 32. Each thread has one unit of each row,
    /// in an accumulator of its own.
    pub in_rows: bool,
    /// Its physical properties.
    pub hints: Hints,
}

/// Where the load units of a thread lie in a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// `block × width` items apart, between the units of the other threads.
    #[default]
    Striped,
    /// One after the other: a thread has consecutive items, and one lane, which keeps their order. Items that one block folds to
    /// the end are cut into [runs](association::Runs).
    Blocked,
}

impl Program {
    /// The most elements whose positions fit `u32`. `u32::MAX` itself is not a position.
    pub const MOST_OF_U32: u64 = u32::MAX as u64;

    /// Threads of a warp, on every architecture.
    pub const WARP: u32 = 32;

    /// Bytes of shared memory that count the messages of a block: an mbarrier (PTX ISA, parallel synchronization instructions).
    pub const COUNT_OF_MESSAGES: usize = 8;

    /// Returns the kernel that reads those items.
    pub fn kernel(&self, reads: Reads) -> &Kernel {
        &self.kernels[reads as usize]
    }

    /// Returns the number of consecutive items that one block of a kernel reads: all of its items, or the items of one round of a
    /// grid-stride loop.
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

    /// Returns the greatest number of blocks with which a kernel is launched.
    pub fn most_blocks(&self, reads: Reads) -> u64 {
        let kernel = self.kernel(reads);
        match kernel.team.size {
            Size::Thread | Size::Lanes(_) | Size::Warp | Size::Block => 1,
            Size::Cluster => kernel.cluster().into(),
            Size::Grid { most } => most.map_or(u64::MAX, u64::from),
        }
    }

    /// Returns whether one launch is enough for every n that the program supports.
    pub fn has_one_launch(&self) -> bool {
        let first = self.kernel(Reads::Inputs);
        !first.team.is_grid() || first.has_ticket()
    }

    /// Returns the threads per block of a launch. Groups whose teams are smaller than a block share a block.
    pub fn threads(&self, reads: Reads) -> u32 {
        match self.kernel(reads).team {
            team @ Team { beside: 2.., .. } => team.beside * self.parts_beside(reads),
            Team { size: Size::Thread | Size::Warp, logical: 2.., .. }
            | Team { size: Size::Lanes(_) | Size::Warp, .. } => self.shared_block(),
            Team { size: Size::Thread | Size::Block | Size::Cluster | Size::Grid { .. }, .. } => self.block,
        }
    }

    /// Returns the number of groups that share a block of a kernel.
    pub fn groups_of_block(&self, reads: Reads) -> u32 {
        let team = self.kernel(reads).team;
        match team.size {
            _ if team.beside > 1 => team.beside,
            Size::Thread if team.logical > 1 => self.threads(reads),
            Size::Lanes(lanes) => self.threads(reads) / lanes,
            Size::Warp => self.threads(reads) / Program::WARP,
            Size::Thread | Size::Block | Size::Cluster | Size::Grid { .. } => 1,
        }
    }

    /// Returns the most items of that many threads, from the first one on, if no thread has a second unit of striped ones.
    pub fn items_of_lanes(&self, threads: u32) -> u64 {
        let fold = self.kernel(Reads::Inputs).fold();
        let units = match fold.arrangement {
            Arrangement::Striped => 1,
            Arrangement::Blocked => fold.units().unwrap_or(1),
        };
        u64::from(threads) * u64::from(units) * u64::from(fold.width)
    }

    /// Returns the threads of the association, and the units of each, that can have an item: fewer than all if the range of n is
    /// shorter than the only tile.
    pub fn reached(&self, reads: Reads) -> (u32, u32) {
        let kernel = self.kernel(reads);
        let fold = kernel.fold();
        let units = fold.units().unwrap_or(1);
        let bounded = reads == Reads::Inputs && kernel.is_one_tile() && !fold.in_rows;
        let Some(most) = self.up_to.filter(|_| bounded) else { return (self.block, units) };
        let each = self.items_of_lanes(1).max(1);
        let threads = most.div_ceil(each).next_power_of_two().min(self.block.into()) as u32;
        match fold.arrangement {
            Arrangement::Blocked => (threads, units),
            Arrangement::Striped => {
                let row = u64::from(self.block) * u64::from(fold.width);
                (threads, most.div_ceil(row).min(units.into()) as u32)
            }
        }
    }

    /// Returns the number of threads that share each of neighbouring groups.
    pub fn parts_beside(&self, reads: Reads) -> u32 {
        self.block / self.kernel(reads).team.logical.max(1)
    }

    /// Returns the number of accumulators that neighbouring groups leave in shared memory: one for each thread in each round.
    pub fn values_beside(&self, reads: Reads) -> u32 {
        self.divided(reads).rounds() * self.parts_beside(reads) * self.kernel(reads).team.beside
    }

    /// Returns the threads of a block that groups share. With only one group, the block is a warp.
    fn shared_block(&self) -> u32 {
        if self.domain.is_grouped() { 16 * Program::WARP } else { Program::WARP }
    }

    /// Derives the team and the range from the tile. If all items fit one tile, the team becomes a block; if they fit the tiles of
    /// a cluster, it becomes the cluster. Such a team leaves the result, and has no exchange. The range of 32-bit positions leaves
    /// room for a tile, so that the positions of absent items fit as well.
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

    /// Returns the oldest compute capability that it supports, written as in `sm_90`.
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

    /// Returns the number of warps in a block.
    pub fn warps(&self) -> u32 {
        self.block / Program::WARP
    }

    /// Returns the plan.
    pub fn plan(&self) -> Plan {
        Plan::of(self)
    }

    /// Returns the association.
    pub fn association(&self) -> Association {
        Association::of(self)
    }
}

impl Fold {
    /// One item per thread.
    pub const NAIVE: Fold = Fold {
        share: Share::Units(1),
        width: 1,
        lanes: 1,
        arrangement: Arrangement::Striped,
        in_rows: false,
        hints: Hints { unrolled: false, streaming: false },
    };

    /// Returns whether items of a load unit share lanes, which changes their order.
    pub fn shares_lanes(&self) -> bool {
        self.arrangement == Arrangement::Striped && self.lanes < self.width
    }

    /// Returns the number of items of a load unit that go to the same lane.
    pub fn items_of_a_lane(&self) -> u32 {
        self.width / self.lanes.max(1)
    }

    /// Returns the number of rows of a warp; every thread has one accumulator per row.
    pub fn rows(&self) -> u32 {
        if self.in_rows { self.units().unwrap_or(1) } else { 1 }
    }

    /// Returns the load units of a thread, if their number is fixed.
    pub fn units(&self) -> Option<u32> {
        if let Share::Units(units) = self.share { Some(units) } else { None }
    }
}

impl Kernel {
    /// Returns its fold. A kernel without a fold, which has a tree in place, counts as taking one item per thread.
    pub fn fold(&self) -> Fold {
        let find = |step: &Step| if let Step::Fold(fold) = step { Some(*fold) } else { None };
        self.steps.iter().find_map(find).unwrap_or(Fold::NAIVE)
    }

    /// Returns its tree in place, if it has one.
    pub fn in_place(&self) -> Option<Combine> {
        self.combines().find(|combine| matches!(combine.medium, Medium::Global(_)))
    }

    /// Returns how the blocks of its grid combine. `None`: its team leaves the result, or it keeps items for a tree in place.
    pub fn exchange(&self) -> Option<Exchange> {
        self.steps
            .iter()
            .find_map(|step| if let Step::Exchange(exchange) = step { Some(*exchange) } else { None })
    }

    /// Returns whether its blocks combine through an atomic.
    pub fn is_atomic(&self) -> bool {
        self.exchange() == Some(Exchange::Atomic)
    }

    /// Returns whether its blocks take tickets.
    pub fn has_ticket(&self) -> bool {
        matches!(self.exchange(), Some(Exchange::LastBlock { .. }))
    }

    /// Returns whether its partials carry flags.
    pub fn has_flags(&self) -> bool {
        self.exchange() == Some(Exchange::LastBlock { flags: true })
    }

    /// Returns whether each thread folds its items in order.
    pub fn is_in_order(&self) -> bool {
        let fold = self.fold();
        let one_unit = fold.share == Share::Units(1) || self.team == Team::THREAD;
        fold.arrangement == Arrangement::Blocked || (one_unit && !fold.shares_lanes())
    }

    /// Returns whether the items of its team are one tile of at most one block, which begins with the first item of the group.
    pub fn is_one_tile(&self) -> bool {
        matches!(self.team.size, Size::Thread | Size::Lanes(_) | Size::Warp | Size::Block)
            && self.fold().units().is_some()
    }

    /// Returns the number of blocks in a cluster: 1 if blocks do not access each other's shared memory.
    pub fn cluster(&self) -> u32 {
        self.combines().find(|combine| combine.scope == Scope::Cluster).map_or(1, |combine| combine.items)
    }

    /// Returns its combinations, in order.
    pub fn combines(&self) -> impl Iterator<Item = Combine> {
        self.steps
            .iter()
            .filter_map(|step| if let Step::Combine(combine) = step { Some(*combine) } else { None })
    }
}
