//! Runs of equal neighbouring keys, found on all cores.

use super::threads;
use half::{bf16, f16};
use reduce_lanes::LanesRef;
use std::convert::Infallible;
use std::ops::Range;

/// Keys that a thread compares at a time.
const SHARE: usize = 1 << 18;

/// Keys that are compared at once: few enough that most blocks lie in one run.
const BLOCK: usize = 16;

/// A key. Keys are equal if their bits are, and −0 equals +0. So a NaN is a run of its own unless its neighbour has its bits.
trait Key: Copy + Send + Sync {
    fn is_same(self, other: Self) -> bool;
}

macro_rules! keys {
    ($($ty:ty)*) => { $(impl Key for $ty { fn is_same(self, other: Self) -> bool { self == other } })* };
}

macro_rules! float_keys {
    ($($ty:ty)*) => {
        $(impl Key for $ty {
            fn is_same(self, other: Self) -> bool {
                self == other || self.to_bits() == other.to_bits()
            }
        })*
    };
}

keys!(i8 i16 i32 i64 u8 u16 u32 u64 bool);
float_keys!(f16 bf16 f32 f64);

/// Returns the offsets of the runs: the position of the first key of each, and the number of keys. No keys are no runs.
#[must_use]
pub fn run_offsets(keys: LanesRef<'_>) -> Vec<usize> {
    match keys {
        LanesRef::F16(keys) => offsets(keys),
        LanesRef::Bf16(keys) => offsets(keys),
        LanesRef::F32(keys) => offsets(keys),
        LanesRef::F64(keys) => offsets(keys),
        LanesRef::I8(keys) => offsets(keys),
        LanesRef::I16(keys) => offsets(keys),
        LanesRef::I32(keys) => offsets(keys),
        LanesRef::I64(keys) => offsets(keys),
        LanesRef::U8(keys) => offsets(keys),
        LanesRef::U16(keys) => offsets(keys),
        LanesRef::U32(keys) => offsets(keys),
        LanesRef::U64(keys) => offsets(keys),
        LanesRef::Bool(keys) => offsets(keys),
    }
}

fn offsets<K: Key>(keys: &[K]) -> Vec<usize> {
    let shares = (0..keys.len()).step_by(SHARE).map(|at| at..keys.len().min(at + SHARE)).collect();
    let Ok(heads) = threads::map(shares, |share| Ok::<_, Infallible>(heads(keys, share)));
    let mut all = heads.concat();
    all.push(keys.len());
    all
}

/// Returns the positions in a range at which runs begin.
fn heads<K: Key>(keys: &[K], range: Range<usize>) -> Vec<usize> {
    let is_head = |at: usize| at == 0 || !keys[at].is_same(keys[at - 1]);
    let start = range.end.min(range.start.max(1));
    let mut all: Vec<_> = (range.start..start).filter(|&at| is_head(at)).collect();
    let (blocks, rest) = keys[start..range.end].as_chunks::<BLOCK>();
    for (block, at) in blocks.iter().zip((start..).step_by(BLOCK)) {
        let before = &keys[at - 1..at - 1 + BLOCK];
        // Without an early end, the compiler vectorises the comparisons.
        let mut differs = false;
        for k in 0..BLOCK {
            differs |= !block[k].is_same(before[k]);
        }
        if differs {
            all.extend((at..at + BLOCK).filter(|&at| is_head(at)));
        }
    }
    all.extend((range.end - rest.len()..range.end).filter(|&at| is_head(at)));
    all
}

#[cfg(test)]
mod tests {
    use super::run_offsets;

    #[test]
    fn equal_neighbours_are_a_run() {
        assert_eq!(run_offsets([7u8, 7, 7, 1, 7].as_slice().into()), [0, 3, 4, 5]);
        let none: [i64; 0] = [];
        assert_eq!(run_offsets(none.as_slice().into()), [0]);
        let other_nan = f32::from_bits(f32::NAN.to_bits() + 1);
        let floats = [0.0, -0.0, f32::NAN, f32::NAN, other_nan, 1.0];
        assert_eq!(run_offsets(floats.as_slice().into()), [0, 2, 4, 5, 6]);
    }

    #[test]
    fn runs_cross_the_shares_of_threads() {
        let keys: Vec<u32> = (0..super::SHARE as u32 * 2 + 10).map(|at| at / 1000).collect();
        let offsets = run_offsets(keys.as_slice().into());
        let wanted: Vec<_> = (0..keys.len()).step_by(1000).chain([keys.len()]).collect();
        assert_eq!(offsets, wanted);
    }
}
