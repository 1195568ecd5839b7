//! What runs for n elements: launches in order, and the workspace they need. A pure function of n.

use super::{Kernel, Program, Reads, Step};

/// The plan of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// By what the kernels read, as the program has them.
    kernels: [Cover; 2],
    partial_size: u64,
}

/// What one launch of a kernel covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cover {
    tile: u64,
    most_blocks: u64,
    writes: Writes,
}

/// What a launch writes to the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    /// A partial for each block; a launch of one block writes the result instead.
    Blocks,
    /// An accumulator for each item.
    Items,
    /// One accumulator, which is there before.
    One,
}

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Which kernel, by what it reads.
    pub kernel: Reads,
    /// Items it reads.
    pub items: u64,
    /// Blocks.
    pub grid: u64,
    /// Where it reads partials, for the kernel that does.
    pub from: Region,
    /// Where it writes partials, if it writes any.
    pub to: Region,
    /// Partials that it writes for the next launch; `None`: it writes the result.
    pub partials: Option<u64>,
}

/// One of the two regions of the workspace, which the levels use in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// At the start of the workspace.
    Even,
    /// Behind the partials of the first level.
    Odd,
}

impl Plan {
    pub(super) fn of(program: &Program) -> Plan {
        let cover = |reads| Cover {
            tile: program.tile(reads),
            most_blocks: program.most_blocks(reads),
            writes: Writes::of(program.kernel(reads)),
        };
        let kernels = [cover(Reads::Inputs), cover(Reads::Partials)];
        Plan { kernels, partial_size: program.operation.acc.size() as u64 }
    }

    /// The launches for n elements: at least one, the last of one block.
    pub fn launches(&self, n: u64) -> Vec<Launch> {
        let first = self.launch(Reads::Inputs, n, Region::Odd, Region::Even);
        let after = |last: &Launch| {
            last.partials.map(|items| self.launch(Reads::Partials, items, last.to, last.from))
        };
        std::iter::successors(Some(first), after).collect()
    }

    fn launch(&self, kernel: Reads, items: u64, from: Region, to: Region) -> Launch {
        let cover = self.kernels[kernel as usize];
        let grid = items.div_ceil(cover.tile).clamp(1, cover.most_blocks);
        let partials = match cover.writes {
            Writes::Blocks => (grid > 1).then_some(grid),
            Writes::Items => Some(items),
            Writes::One => Some(1),
        };
        Launch { kernel, items, grid, from, to, partials }
    }

    /// Must the first partial of the workspace hold the padding before the first launch?
    pub fn starts_from_padding(&self) -> bool {
        self.kernels[0].writes == Writes::One
    }

    /// Bytes of workspace for n elements.
    pub fn workspace(&self, n: u64) -> u64 {
        let left: u64 = self.launches(n).iter().filter_map(|launch| launch.partials).take(2).sum();
        left * self.partial_size
    }

    /// The byte at which a region starts, for n elements.
    pub fn offset(&self, n: u64, region: Region) -> u64 {
        let first = self.launch(Reads::Inputs, n, Region::Odd, Region::Even).partials.unwrap_or(0);
        if region == Region::Odd { first * self.partial_size } else { 0 }
    }

    /// Items of a block of the kernel that reads the inputs, and of the one that reads partials.
    pub fn tiles(&self) -> [u64; 2] {
        self.kernels.map(|cover| cover.tile)
    }
}

impl Writes {
    fn of(kernel: &Kernel) -> Writes {
        match (kernel.is_atomic(), kernel.steps.contains(&Step::Keep)) {
            (true, _) => Writes::One,
            (false, true) => Writes::Items,
            (false, false) => Writes::Blocks,
        }
    }
}
