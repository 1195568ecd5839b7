//! What is physical about a kernel, by architecture: it changes how long a reduction takes, and never a bit.

mod groups;
mod loads;
pub(crate) mod tiers;

pub(crate) use loads::{LOADS_IN_FLIGHT, PARTIALS_IN_FLIGHT};
pub use tiers::ASSOCIATION;

use reduce_ir::pass::Pass;

/// How the blocks of `passes: auto` meet, and launches follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// The most blocks of a cluster; 1 where there are no clusters.
    pub cluster: u32,
    /// Does the block that finishes last combine the partials? Else another launch does.
    pub ticket: bool,
    /// Where it does so for few elements, do the partials carry flags?
    pub flag: bool,
    /// Are the accumulators of a warp combined by one instruction, where it has one?
    pub redux: bool,
    /// Do the loads of many elements tell the cache that nobody reads them again?
    pub streaming: bool,
    /// Do launches begin while those before them end?
    pub dependent: bool,
}

/// By architecture, oldest first: from a compute capability on, until the next one. Measured on an H200 (sm_90,
/// docs/decisions.md), and as good on an H100 (docs/speed.md); newer ones have the same, with clusters of the
/// size that all of them allow.
const KNOWN: [(u32, Tuning); 2] = [(90, HOPPER), (100, Tuning { cluster: 8, ..HOPPER })];

/// The tuning that was measured.
const HOPPER: Tuning =
    Tuning { cluster: 16, ticket: true, flag: true, redux: true, streaming: true, dependent: true };

impl Tuning {
    /// What runs everywhere.
    pub const DEFAULT: Tuning =
        Tuning { cluster: 1, ticket: true, flag: true, redux: false, streaming: false, dependent: false };

    /// Every tuning, the default first.
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

    /// The tuning of a compute capability, written as in `sm_90`.
    pub fn of(capability: u32) -> Tuning {
        let known = KNOWN.iter().rev().find(|(oldest, _)| *oldest <= capability);
        known.map_or(Tuning::DEFAULT, |(_, tuning)| *tuning)
    }

    /// The same, of a GPU that cannot make clusters.
    pub(crate) fn without_clusters(self) -> Tuning {
        Tuning { cluster: 1, ..self }
    }

    /// The passes by which the blocks of a grid meet.
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
