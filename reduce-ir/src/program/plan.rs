//! The launches for n elements, in order, and the workspace that they need. A plan is a pure function of n.

use super::{Exchange, Kernel, Program, Reads, Step};
use crate::Extent;

/// The plan of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The kernels, in the order of the program.
    kernels: [Cover; 2],
    partial_size: u64,
    has_flags: bool,
}

/// The work of one launch of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cover {
    tile: u64,
    most_blocks: u64,
    /// The number of blocks that leave one partial together.
    cluster: u64,
    /// The number of groups that share a block.
    groups: u64,
    writes: Writes,
}

/// The data that a launch writes to the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    /// A partial for each block or cluster; a launch with only one of them writes the result instead.
    Blocks,
    /// A partial for each block or cluster, and then the result.
    BlocksAndResult,
    /// An accumulator for each item.
    Items,
    /// The result.
    Result,
    /// One accumulator, which exists before the launch.
    One,
}

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel, by the kind of its items.
    pub kernel: Reads,
    /// The number of items of each group that it reads.
    pub items: u64,
    /// The number of groups.
    pub groups: u64,
    /// The number of blocks.
    pub grid: u64,
    /// The region from which the kernel over partials reads.
    pub from: Region,
    /// The region to which it writes partials, if it writes any.
    pub to: Region,
    /// The number of partials that it writes.
    pub partials: u64,
    /// Whether it writes the result, and not partials for another launch.
    pub is_last: bool,
}

/// One of the two regions of the workspace, which the levels use in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// At the start of the workspace.
    Even,
    /// After the partials of the first level.
    Odd,
}

impl Plan {
    pub(super) fn of(program: &Program) -> Plan {
        let cover = |reads| Cover {
            tile: program.tile(reads),
            most_blocks: program.most_blocks(reads),
            cluster: program.kernel(reads).cluster().into(),
            groups: program.groups_of_block(reads).into(),
            writes: Writes::of(program.kernel(reads)),
        };
        let kernels = [cover(Reads::Inputs), cover(Reads::Partials)];
        let (partial, has_flags) = (&program.operation.acc, program.kernel(Reads::Inputs).has_flags());
        let partial_size = if has_flags { 8 * partial.words() } else { partial.size() } as u64;
        Plan { kernels, partial_size, has_flags }
    }

    /// Returns the launches for those elements: at least one.
    pub fn launches(&self, extent: impl Into<Extent>) -> Vec<Launch> {
        let first = self.launch(Reads::Inputs, extent.into(), Region::Odd, Region::Even);
        let after = |last: &Launch| {
            let left = Extent { groups: last.groups, length: last.partials / last.groups.max(1) };
            let next = || self.launch(Reads::Partials, left, last.to, last.from);
            (!last.is_last).then(next)
        };
        std::iter::successors(Some(first), after).collect()
    }

    fn launch(&self, kernel: Reads, extent: Extent, from: Region, to: Region) -> Launch {
        let Extent { groups, length: items } = extent;
        let cover = self.kernels[kernel as usize];
        let clusters = items.div_ceil(cover.tile).clamp(1, cover.most_blocks).div_ceil(cover.cluster);
        let alone = clusters == 1;
        let (partials, is_last) = match cover.writes {
            Writes::Blocks => (if alone { 0 } else { clusters.saturating_mul(groups) }, alone),
            Writes::BlocksAndResult => (clusters, true),
            Writes::Items => (items, false),
            Writes::Result => (0, true),
            Writes::One => (1, false),
        };
        // Saturates for numbers of elements that no memory holds.
        let grid = clusters.saturating_mul(cover.cluster).saturating_mul(groups.div_ceil(cover.groups));
        Launch { kernel, items, groups, grid, from, to, partials, is_last }
    }

    /// Returns whether the launches take a ticket, which is 0 before and after each of them.
    pub fn has_ticket(&self) -> bool {
        self.kernels[0].writes == Writes::BlocksAndResult
    }

    /// Returns whether its partials carry flags. The workspace is then 0 before and after each launch.
    pub fn has_flags(&self) -> bool {
        self.has_flags
    }

    /// Returns whether the first partial of the workspace must hold the fill before the first launch.
    pub fn starts_from_fill(&self) -> bool {
        self.kernels[0].writes == Writes::One
    }

    /// Returns the bytes of workspace for those elements. Saturates for numbers of elements that no memory holds.
    pub fn workspace(&self, extent: impl Into<Extent>) -> u64 {
        let launches = self.launches(extent);
        let left = launches.iter().take(2).fold(0u64, |left, launch| left.saturating_add(launch.partials));
        left.saturating_mul(self.partial_size)
    }

    /// Returns the byte at which a region starts, for those elements. Saturates like [`Plan::workspace`].
    pub fn offset(&self, extent: impl Into<Extent>, region: Region) -> u64 {
        let first = self.launch(Reads::Inputs, extent.into(), Region::Odd, Region::Even).partials;
        if region == Region::Odd { first.saturating_mul(self.partial_size) } else { 0 }
    }

    /// Returns the items per block of the kernel over the inputs, and of the kernel over partials.
    pub fn tiles(&self) -> [u64; 2] {
        self.kernels.map(|cover| cover.tile)
    }
}

impl Writes {
    fn of(kernel: &Kernel) -> Writes {
        match kernel.exchange() {
            Some(Exchange::Atomic) => Writes::One,
            Some(Exchange::LastBlock { .. }) => Writes::BlocksAndResult,
            Some(Exchange::NextLaunch) => Writes::Blocks,
            None if kernel.steps.contains(&Step::Keep) => Writes::Items,
            None => Writes::Result,
        }
    }
}
