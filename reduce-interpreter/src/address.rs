//! Addresses of warp-wide accesses: lines and sectors of global memory, banks of shared memory.

use super::count::{Global, Shared};
use super::warp::WIDTH;

const LINE: u64 = 128;
const SECTOR: u64 = 32;
const BANKS: usize = 32;
const WORD: u64 = 4;

/// A field of an element: its offset and size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// Counts one access to a field of the elements that start at the given addresses.
pub(super) fn global(starts: &[u64], field: Field) -> Global {
    let touched = |unit: u64| {
        let mut units = TouchedUnits::new();
        for start in starts {
            let first = start + field.offset;
            (first / unit..=(first + field.size - 1) / unit).for_each(|it| units.push(it));
        }
        units.distinct() as u64
    };
    let bytes = starts.len() as u64 * field.size;
    let accesses = u64::from(!starts.is_empty());
    Global { accesses, requests: touched(LINE), sectors: touched(SECTOR), bytes }
}

/// Counts one access to a field of the records that start at the given addresses in the given lanes: its wavefronts
/// and bank conflicts.
pub(super) fn shared(starts: &[(usize, u64)], field: Field) -> Shared {
    let lanes = if field.size <= WORD { WIDTH } else { WIDTH / 2 };
    let mut counts = Shared { accesses: u64::from(!starts.is_empty()), ..Shared::default() };
    for first in (0..WIDTH).step_by(lanes) {
        let group = starts.iter().filter(|(lane, _)| (first..first + lanes).contains(lane));
        let degree = degree(group.map(|(_, start)| start + field.offset), field.size);
        counts.wavefronts += degree;
        counts.conflicts += degree.saturating_sub(1);
        counts.worst = counts.worst.max(degree);
    }
    counts
}

/// Returns the maximum number of distinct words that one bank serves.
fn degree(starts: impl Iterator<Item = u64>, size: u64) -> u64 {
    let mut words = TouchedUnits::new();
    for start in starts {
        (start / WORD..=(start + size - 1) / WORD).for_each(|word| words.push(word));
    }
    let count = words.distinct();
    let mut banks = [0; BANKS];
    words.units[..count].iter().for_each(|word| banks[*word as usize % BANKS] += 1);
    banks.into_iter().max().unwrap_or(0)
}

/// The lines, sectors or words that the lanes of a warp touch. No lane touches more than two of them.
struct TouchedUnits {
    units: [u64; 2 * WIDTH],
    len: usize,
}

impl TouchedUnits {
    fn new() -> TouchedUnits {
        TouchedUnits { units: [0; 2 * WIDTH], len: 0 }
    }

    /// Adds a unit. Neighbouring lanes often touch the same one, so a repetition is dropped at once.
    fn push(&mut self, unit: u64) {
        let repeated = self.len > 0 && self.units[self.len - 1] == unit;
        if !repeated && self.len < self.units.len() {
            self.units[self.len] = unit;
            self.len += 1;
        }
    }

    /// Moves the distinct units to the front and returns their number.
    fn distinct(&mut self) -> usize {
        let units = &mut self.units[..self.len];
        if !units.is_sorted() {
            units.sort_unstable();
        }
        let mut count = 0;
        for at in 0..units.len() {
            if at == 0 || units[at] != units[count - 1] {
                units[count] = units[at];
                count += 1;
            }
        }
        count
    }
}
