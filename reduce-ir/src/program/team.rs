//! Which threads share the items of one result, and how the blocks of a grid meet.

/// The threads that share the items of one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Team {
    /// How many they are.
    pub size: Size,
    /// Threads of the association that each of them evaluates, one after the other or side by side.
    pub logical: u32,
}

/// The size of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// One thread.
    Thread,
    /// A warp.
    Warp,
    /// A block.
    Block,
    /// The blocks of a cluster.
    Cluster,
    /// All blocks of a launch.
    Grid {
        /// The most blocks that it has, if there is a limit.
        most: Option<u32>,
    },
}

/// How many load units a thread folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Share {
    /// That many, of the tile of its block.
    Units(u32),
    /// All that is left to it, until the items end: striped, as far apart as the team reads at once, or blocked, in
    /// consecutive runs.
    Rest,
}

/// How the partials of a grid's blocks become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// Another launch reads them. One block alone leaves the result instead.
    NextLaunch,
    /// The last block does in the same launch what the kernel over partials would.
    LastBlock {
        /// Do partials carry flags, for which the block waits that started last? Otherwise it is the block that finishes last.
        flags: bool,
    },
    /// Each block combines its own into one accumulator in the workspace.
    Atomic,
}

impl Team {
    /// All blocks that there are.
    pub const GRID: Team = Team { size: Size::Grid { most: None }, logical: 1 };

    /// One block.
    pub const BLOCK: Team = Team { size: Size::Block, logical: 1 };

    /// One thread.
    pub const THREAD: Team = Team { size: Size::Thread, logical: 1 };

    /// Is it all blocks of a launch? Then these have to meet.
    pub fn is_grid(&self) -> bool {
        matches!(self.size, Size::Grid { .. })
    }
}
