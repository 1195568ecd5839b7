//! Pairwise steps of sums and products of floats, whose association shows in the bits.

use super::Aligned;
use super::blocks::append;
use super::group_sums::push;
use super::rows::BLOCK;
use super::{LaneError, Lanes, LanesRef, bug};
use reduce_ir::Scalar;
use reduce_ir::arith::{Element, Number};
use reduce_ir::ops::Bin;

/// Whether [`pairwise_step`] knows the operation. Exact operations take no such trees.
pub(crate) fn has_pairwise_step(op: Bin, ty: Scalar) -> bool {
    matches!((op, ty), (Bin::Add | Bin::Mul, Scalar::F32 | Scalar::F64))
}

/// Combines, of every `2 half` lanes, the first half with the second, as far as there is one.
#[inline(always)]
pub(super) fn pairwise_step(
    op: Bin,
    lanes: LanesRef<'_>,
    half: usize,
    out: &mut Lanes,
) -> Result<(), LaneError> {
    match (op, lanes, out) {
        (Bin::Add, LanesRef::F32(lanes), Lanes::F32(out)) => combine(lanes, half, out, Number::add),
        (Bin::Add, LanesRef::F64(lanes), Lanes::F64(out)) => combine(lanes, half, out, Number::add),
        (Bin::Mul, LanesRef::F32(lanes), Lanes::F32(out)) => combine(lanes, half, out, Number::mul),
        (Bin::Mul, LanesRef::F64(lanes), Lanes::F64(out)) => combine(lanes, half, out, Number::mul),
        (op, lanes, _) => return bug(op, &[lanes]),
    }
    Ok(())
}

/// The most items that `pairwise_tree` combines.
pub const TREE: usize = 32;

/// Combines, of groups of lanes side by side, every `items` items, in one pass: `half` items and more that lie as far apart, then half
/// as many. The lanes of an item lie `width` apart.
#[inline(always)]
pub(super) fn pairwise_tree(
    op: Bin,
    lanes: LanesRef<'_>,
    [items, width]: [usize; 2],
    out: &mut Lanes,
) -> Result<(), LaneError> {
    match (op, lanes, out) {
        (Bin::Add, LanesRef::F32(lanes), Lanes::F32(out)) => tree(lanes, [items, width], out, Number::add),
        (Bin::Add, LanesRef::F64(lanes), Lanes::F64(out)) => tree(lanes, [items, width], out, Number::add),
        (Bin::Mul, LanesRef::F32(lanes), Lanes::F32(out)) => tree(lanes, [items, width], out, Number::mul),
        (Bin::Mul, LanesRef::F64(lanes), Lanes::F64(out)) => tree(lanes, [items, width], out, Number::mul),
        (op, lanes, _) => return bug(op, &[lanes]),
    }
    Ok(())
}

/// Combines the items of every chunk, of [`BLOCK`] columns at once.
#[inline(always)]
fn tree<T: Element>(
    lanes: &[T],
    [items, width]: [usize; 2],
    out: &mut Aligned<T>,
    f: impl Fn(T, T) -> T + Copy,
) {
    for chunk in lanes.chunks(items * width) {
        out.reserve(width);
        for column in (0..width).step_by(BLOCK) {
            // The last block ends with the last column, and may begin before the end of the one before.
            let start = column.min(width - BLOCK);
            push(&tree_block(&chunk[start..], [items, width], f), column - start, out);
        }
    }
}

/// Combines the items of a block of columns by halves.
#[inline(always)]
fn tree_block<T: Element>(
    chunk: &[T],
    [items, width]: [usize; 2],
    f: impl Fn(T, T) -> T + Copy,
) -> [T; BLOCK] {
    let (mut half, mut left) = (items / 2, chunk.len().div_ceil(width));
    let mut kept = [[T::default(); BLOCK]; TREE / 2];
    let block = |k: usize| &chunk[k * width..k * width + BLOCK];
    for (k, kept) in kept.iter_mut().enumerate().take(half.min(left)) {
        kept.copy_from_slice(block(k));
        if half + k < left {
            combine_block(kept, block(half + k), f);
        }
    }
    while half > 1 {
        left = left.min(half);
        half /= 2;
        let (lefts, rights) = kept.split_at_mut(half);
        for (kept, right) in lefts.iter_mut().zip(&rights[..left.saturating_sub(half)]) {
            combine_block(kept, right, f);
        }
    }
    kept[0]
}

#[inline(always)]
fn combine_block<T: Element>(left: &mut [T; BLOCK], right: &[T], f: impl Fn(T, T) -> T) {
    let right = &right[..BLOCK];
    for i in 0..BLOCK {
        left[i] = f(left[i], right[i]);
    }
}

/// Small halves are constants, so that the compiler vectorises them.
#[inline(always)]
fn combine<T: Element>(lanes: &[T], half: usize, out: &mut Aligned<T>, f: impl Fn(T, T) -> T) {
    let done = match half {
        1 => combine_blocks::<T, 1>(lanes, out, &f),
        2 => combine_blocks::<T, 2>(lanes, out, &f),
        4 => combine_blocks::<T, 4>(lanes, out, &f),
        8 => combine_blocks::<T, 8>(lanes, out, &f),
        16 => combine_blocks::<T, 16>(lanes, out, &f),
        _ => {
            out.clear();
            0
        }
    };
    for chunk in lanes[done..].chunks(2 * half) {
        let (left, right) = chunk.split_at(half.min(chunk.len()));
        let (paired, alone) = left.split_at(right.len());
        combine_wide(paired, right, out, &f);
        append(alone, alone.len(), out);
    }
}

/// Lanes that stay in the L1 cache.
const PIECE: usize = 1024;

/// Appends the combinations of lanes, a block at a time.
#[inline(always)]
fn combine_wide<T: Element>(left: &[T], right: &[T], out: &mut Aligned<T>, f: impl Fn(T, T) -> T) {
    for (left, right) in left.chunks(PIECE).zip(right.chunks(PIECE)) {
        let at = out.len();
        out.resize(at + left.len(), T::default());
        let (outs, last) = out[at..].as_chunks_mut::<BLOCK>();
        let (lefts, left) = left.as_chunks::<BLOCK>();
        let (rights, right) = right.as_chunks::<BLOCK>();
        for (k, out) in outs.iter_mut().enumerate() {
            let mut combined = lefts[k];
            for i in 0..BLOCK {
                combined[i] = f(combined[i], rights[k][i]);
            }
            *out = combined;
        }
        for (i, out) in last.iter_mut().enumerate() {
            *out = f(left[i], right[i]);
        }
    }
}

/// Combines all whole pairs of blocks. Returns how many lanes they have.
#[inline(always)]
fn combine_blocks<T: Element, const HALF: usize>(
    lanes: &[T],
    out: &mut Aligned<T>,
    f: impl Fn(T, T) -> T,
) -> usize {
    let (pairs, _) = lanes.as_chunks::<HALF>().0.as_chunks::<2>();
    out.resize(pairs.len() * HALF, T::default());
    for (out, [left, right]) in out.as_chunks_mut::<HALF>().0.iter_mut().zip(pairs) {
        // A local copy: a store to `out` could alias the next loads.
        let mut combined = *left;
        for (left, &right) in combined.iter_mut().zip(right) {
            *left = f(*left, right);
        }
        *out = combined;
    }
    2 * HALF * pairs.len()
}
