//! Machine-dependent choices, by architecture. They change how long a reduction takes, and no bit.

mod groups;
mod loads;
pub(crate) mod segments;
pub(crate) mod tiers;

pub(crate) use loads::{LOADS_IN_FLIGHT, PARTIALS_IN_FLIGHT};
pub use tiers::ASSOCIATION;

use reduce_ir::pass::Pass;

/// How `passes: auto` combines the blocks of a grid, and how launches overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// The greatest number of blocks in a cluster; 1 without clusters.
    pub cluster: u32,
    /// Whether the block that finishes last combines the partials. Otherwise another launch does.
    pub ticket: bool,
    /// Whether the partials that it combines carry flags, if there are few elements.
    pub flag: bool,
    /// Whether one instruction combines the accumulators of a warp, for operations that have one.
    pub redux: bool,
    /// Whether the loads of many elements tell the cache that no thread reads them again.
    pub streaming: bool,
    /// Whether a launch may begin while the previous one ends.
    pub dependent: bool,
}

/// Tunings by compute capability, in ascending order. Each holds up to the next. Measured on an H200 (sm_90,
/// docs/decisions.md), and as good on an H100 (docs/speed.md). Newer architectures get the same, with the cluster size
/// that all of them allow.
const KNOWN: [(u32, Tuning); 2] = [(90, HOPPER), (100, Tuning { cluster: 8, ..HOPPER })];

/// The tuning that was measured.
const HOPPER: Tuning =
    Tuning { cluster: 16, ticket: true, flag: true, redux: true, streaming: true, dependent: true };

impl Tuning {
    /// The tuning that runs on every architecture.
    pub const DEFAULT: Tuning =
        Tuning { cluster: 1, ticket: true, flag: true, redux: false, streaming: false, dependent: false };

    /// All tunings, the default first.
    pub const ALL: [Tuning; 9] = [
        Tuning::DEFAULT,
        Tuning { flag: false, ..Tuning::DEFAULT },
        Tuning { ticket: false, ..Tuning::DEFAULT },
        Tuning { redux: true, ..Tuning::DEFAULT },
        Tuning { streaming: true, ..Tuning::DEFAULT },
        Tuning { dependent: true, ..Tuning::DEFAULT },
        Tuning { cluster: 8, ..Tuning::DEFAULT },
        Tuning { cluster: 16, ..Tuning::DEFAULT },
        HOPPER,
    ];

    /// Returns the tuning of a compute capability, written as in `sm_90`.
    pub fn of(capability: u32) -> Tuning {
        let known = KNOWN.iter().rev().find(|(oldest, _)| *oldest <= capability);
        known.map_or(Tuning::DEFAULT, |(_, tuning)| *tuning)
    }

    /// Returns the same tuning for a GPU that cannot make clusters.
    pub(crate) fn without_clusters(self) -> Tuning {
        Tuning { cluster: 1, ..self }
    }

    /// Returns the passes that combine the blocks of a grid.
    pub(crate) fn grid(self, few_elements: bool) -> Vec<Pass> {
        let flag = self.flag && few_elements;
        let passes = [
            (true, Pass::plain("one_block")),
            (self.ticket, Pass::plain("ticket")),
            (self.ticket && flag, Pass::plain("flag")),
        ];
        passes.into_iter().filter_map(|(wanted, pass)| wanted.then_some(pass)).collect()
    }
}
