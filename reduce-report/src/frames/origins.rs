//! The place from which a thread has an accumulator: another lane, or a cell of shared memory.

use reduce_interpreter::Acc;
use std::collections::{HashMap, VecDeque};

/// The place from which a thread has an accumulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A lane of the same warp.
    Lane(usize),
    /// A cell of a shared array.
    Cell { array: String, rank: u64, index: u64 },
}

/// The accumulators that each thread has read last. A combination follows the reads of its operands closely.
#[derive(Debug, Default)]
pub(super) struct Origins(HashMap<(u64, u32), VecDeque<(Acc, Origin)>>);

impl Origins {
    /// The number of accumulators that are remembered for each thread.
    const MOST: usize = 64;

    /// Remembers that a thread of a block has read an accumulator.
    pub(super) fn set(&mut self, block: u64, thread: u32, acc: Option<Acc>, from: Origin) {
        let Some(acc) = acc else { return };
        let known = self.0.entry((block, thread)).or_default();
        known.push_front((acc, from));
        known.truncate(Origins::MOST);
    }

    /// Returns the place from which a thread has an accumulator; none if it made it itself.
    pub(super) fn of(&self, block: u64, thread: u32, acc: Acc) -> Option<&Origin> {
        self.0.get(&(block, thread))?.iter().find(|(known, _)| *known == acc).map(|(_, from)| from)
    }
}
