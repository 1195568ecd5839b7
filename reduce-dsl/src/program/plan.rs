//! What runs for n elements: launches in order, and the workspace they need. A pure function of n.

use super::{Program, Reads};

/// The plan of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    input_tile: u64,
    partial_tile: u64,
    partial_size: u64,
}

/// One launch. A launch of one block writes the result; any other writes a partial for each block.
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
    /// Where it writes partials, if it has more than one block.
    pub to: Region,
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
        Plan {
            input_tile: program.tile(Reads::Inputs),
            partial_tile: program.tile(Reads::Partials),
            partial_size: program.operation.acc.size() as u64,
        }
    }

    /// The launches for n elements: at least one, the last of one block.
    pub fn launches(&self, n: u64) -> Vec<Launch> {
        let first = Launch {
            kernel: Reads::Inputs,
            items: n,
            grid: n.div_ceil(self.input_tile).max(1),
            from: Region::Odd,
            to: Region::Even,
        };
        std::iter::successors(Some(first), |last| (last.grid > 1).then(|| self.after(last))).collect()
    }

    fn after(&self, last: &Launch) -> Launch {
        Launch {
            kernel: Reads::Partials,
            items: last.grid,
            grid: last.grid.div_ceil(self.partial_tile),
            from: last.to,
            to: last.from,
        }
    }

    /// Bytes of workspace for n elements.
    pub fn workspace(&self, n: u64) -> u64 {
        let mut written = self.launches(n).into_iter().map(|launch| launch.grid).filter(|&grid| grid > 1);
        let (even, odd) = (written.next().unwrap_or(0), written.next().unwrap_or(0));
        (even + odd) * self.partial_size
    }

    /// The byte at which a region starts, for n elements.
    pub fn offset(&self, n: u64, region: Region) -> u64 {
        let first = n.div_ceil(self.input_tile).max(1);
        if region == Region::Odd { first * self.partial_size } else { 0 }
    }

    /// Items of a block of the kernel that reads the inputs, and of the one that reads partials.
    pub fn tiles(&self) -> [u64; 2] {
        [self.input_tile, self.partial_tile]
    }
}
