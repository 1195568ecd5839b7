//! The results of kernels of the corpus that give groups of elements: by keys, by segments with columns, and runs of keys.
//!
//! A kernel that `gives: groups` stores the partials of the first group, then those of the second, and so on: equally many of each. The
//! elements are grouped `by` a closure of the element and its position `i`; if `others` are an `error`, the first element whose key is no
//! group is a fault. Or the `offsets` cut rows of `columns` into segments, and each column of a segment is a group.
//!
//! A kernel that `gives: runs` writes offsets and keys of `runs` of these lengths, whose keys are 0, 1, 2 … `tiles` and `marks` are the
//! lengths of its workspace.

use super::corpus::Entry;
use reduce_interpreter::{Memory, Provenance};
use reduce_ir::Value;
use reduce_ir::operation::Operation;
use std::iter;

/// Returns whether each group has its elements once, and the right fault is recorded.
pub fn has_groups(
    entry: &Entry,
    operation: &Operation,
    domain: &Provenance<'_>,
    memory: &Memory<'_>,
) -> bool {
    let [groups, n] = ["groups", "n"].map(|key| entry.number(key).unwrap());
    let of: Vec<_> = (0..n).map(|position| group(entry, operation, position)).collect();
    let parts = memory.partials.len() / groups as usize;
    let elements = |group: usize| {
        let trees: Option<Vec<_>> = memory.partials[group * parts..][..parts].iter().copied().collect();
        let mut leaves: Vec<_> = trees?.into_iter().flat_map(|tree| domain.leaves(tree)).collect();
        leaves.sort_unstable();
        Some(leaves)
    };
    let wanted = |group: usize| (0..n).filter(|&at| of[at as usize] == group as u64).collect();
    let other = (0..n).find(|&at| of[at as usize] >= groups);
    let fault = other.filter(|_| entry.has_setting("others", "error")).unwrap_or(u64::MAX);
    memory.fault == fault && (0..groups as usize).all(|it| elements(it) == Some(wanted(it)))
}

/// Returns the group of an element, or its key if that is no group.
fn group(entry: &Entry, operation: &Operation, position: u64) -> u64 {
    let Some(key) = &operation.key else {
        let columns: u64 = entry.number("columns").unwrap();
        let next = entry.numbers("offsets").partition_point(|&offset| offset <= position / columns);
        return (next as u64 - 1) * columns + position % columns;
    };
    let values: Vec<_> = key.params().iter().map(|param| Value::from_bits(param.ty, position)).collect();
    key.evaluate(&values).unwrap()[0].bits()
}

/// Returns whether the offsets and keys are those of the runs, and nothing is written behind them.
pub fn has_runs(entry: &Entry, memory: &Memory<'_>) -> bool {
    let lengths = entry.numbers("runs");
    let keys = 0..lengths.len() as u64;
    let next = |at: &mut u64, length: u64| {
        *at += length;
        Some(*at)
    };
    let offsets = iter::once(0).chain(lengths.iter().copied().scan(0, next));
    are(&memory.heads, offsets) && are(&memory.keys, keys)
}

/// Returns whether these are the first numbers, and no other is written.
fn are(found: &[Option<u64>], wanted: impl Iterator<Item = u64>) -> bool {
    let wanted = wanted.map(Some).chain(iter::repeat(None));
    found.iter().copied().eq(wanted.take(found.len()))
}
