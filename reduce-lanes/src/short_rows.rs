//! Sums of rows that are shorter than the lanes of a group: every element has a lane, and neighbours meet at once.

use super::Aligned;
use super::group_sums::{Windows, zeros};
use super::rows::BLOCK;
use reduce_ir::arith::Number;

/// Adds every `P` neighbours of rows of `len` elements by pairs. As many rows as a block has lanes are whole blocks.
#[inline(always)]
pub(super) fn sum_short_rows<T: Number, W: Windows, const P: usize>(
    from: W,
    len: usize,
    [acc, out]: [&mut Aligned<T>; 2],
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) {
    let (groups, done) = (from.len() / len, out.len());
    out.resize(done + len.div_ceil(P) * groups, T::default());
    // The last unit of a row is read whole.
    acc.resize(len * BLOCK + P, T::default());
    for first in (0..groups).step_by(BLOCK) {
        // The last block ends with the last group, and may begin before the end of the one before.
        let first = first.min(groups - BLOCK);
        for (k, terms) in acc[..len * BLOCK].as_chunks_mut().0.iter_mut().enumerate() {
            *terms = zeros();
            join(terms, from.at(first * len + k * BLOCK));
        }
        add_neighbours::<T, P>(acc, len, &mut out[done + first..], groups);
    }
}

/// Adds every `P` neighbours of each of [`BLOCK`] rows by pairs. The sums of a row go to places `groups` apart.
#[inline(always)]
fn add_neighbours<T: Number, const P: usize>(terms: &[T], len: usize, out: &mut [T], groups: usize) {
    let rest = len % P;
    for g in 0..BLOCK {
        let row = &terms[g * len..g * len + len + P];
        let (units, _) = row.as_chunks::<P>();
        let mut at = g;
        for unit in &units[..len / P] {
            out[at] = add_unit(unit);
            at += groups;
        }
        if rest > 0 {
            // Selected, not copied: a copy of any length would be a call.
            let last = &units[len / P];
            let unit: [T; P] = std::array::from_fn(|k| if k < rest { last[k] } else { T::default().neg() });
            out[at] = add_unit(&unit);
        }
    }
}

/// The sum of a unit, by pairs.
#[inline(always)]
fn add_unit<T: Number, const P: usize>(unit: &[T; P]) -> T {
    let (mut sums, mut left) = (*unit, P);
    while left > 1 {
        left /= 2;
        for k in 0..left {
            sums[k] = sums[2 * k].add(sums[2 * k + 1]);
        }
    }
    sums[0]
}
