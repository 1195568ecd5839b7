//! The threads that share the items of one result, and the exchange between the blocks of a grid.

/// The threads that share the items of one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Team {
    /// The size.
    pub size: Size,
    /// The number of threads of the association that each thread evaluates, one after the other or side by side.
    pub logical: u32,
    /// The number of neighbouring groups that share the team, with neighbouring threads.
    pub beside: u32,
}

/// The size of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// One thread.
    Thread,
    /// This number of lanes of a warp.
    Lanes(u32),
    /// A warp.
    Warp,
    /// A block.
    Block,
    /// The blocks of a cluster.
    Cluster,
    /// All blocks of a launch.
    Grid {
        /// The greatest number of blocks, if there is a limit.
        most: Option<u32>,
    },
}

/// The load units that a thread folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Share {
    /// A fixed number of units, of the tile of its block.
    Units(u32),
    /// All units that are left to it, until the items end. Striped: as far apart as the team reads at once. Blocked: in consecutive
    /// runs.
    Rest,
}

/// How the partials of a grid's blocks become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// Another launch reads them. A single block leaves the result instead.
    NextLaunch,
    /// The last block runs the steps of the kernel over partials, in the same launch.
    LastBlock {
        /// Whether partials carry flags. With flags, the block that starts last waits for them; without, the block that finishes
        /// last reads the partials.
        flags: bool,
    },
    /// Each block combines its partial into one accumulator in the workspace.
    Atomic,
}

impl Team {
    /// All blocks of a launch, without a limit.
    pub const GRID: Team = Team { size: Size::Grid { most: None }, logical: 1, beside: 1 };

    /// One block.
    pub const BLOCK: Team = Team { size: Size::Block, logical: 1, beside: 1 };

    /// One thread.
    pub const THREAD: Team = Team { size: Size::Thread, logical: 1, beside: 1 };

    /// Returns whether it is all blocks of a launch, which then have to combine their partials.
    pub fn is_grid(&self) -> bool {
        matches!(self.size, Size::Grid { .. })
    }
}
