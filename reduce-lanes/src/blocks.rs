//! Loops over lanes: `out[i] = f(…)`, for all lanes of `out`.
//!
//! An operand has as many lanes as the result, or is one block of [`SHARED`] lanes of one value, which stands for every block.
//! So what all lanes share takes little memory, and needs no loop of its own.

use super::Aligned;

/// Lanes of a block of one value: several vectors of any processor, of any type, so that a compiler makes a loop of them.
pub const SHARED: usize = 128;

/// The lanes of an operand, a block at a time.
#[derive(Clone, Copy)]
struct Operand<'a, T> {
    blocks: &'a [[T; SHARED]],
    rest: &'a [T],
    /// From the block of one block of the result to that of the next.
    step: usize,
}

impl<'a, T> Operand<'a, T> {
    #[inline(always)]
    fn of(lanes: &'a [T], len: usize) -> Self {
        debug_assert!(lanes.len() == len || lanes.len() == SHARED, "{} lanes for {len}", lanes.len());
        let (blocks, rest) = lanes.as_chunks();
        if lanes.len() == len {
            Operand { blocks, rest, step: 1 }
        } else {
            Operand { blocks, rest: lanes, step: 0 }
        }
    }

    #[inline(always)]
    fn block(self, k: usize) -> &'a [T; SHARED] {
        &self.blocks[k * self.step]
    }
}

#[inline(always)]
pub(super) fn map<A: Copy, R: Copy>(a: &[A], out: &mut [R], f: impl Fn(A) -> R + Copy) {
    zip(a, a, out, |a, _| f(a));
}

#[inline(always)]
pub(super) fn zip<A: Copy, B: Copy, R: Copy>(a: &[A], b: &[B], out: &mut [R], f: impl Fn(A, B) -> R + Copy) {
    zip3(a, b, b, out, |a, b, _| f(a, b));
}

#[inline(always)]
pub(super) fn zip3<A: Copy, B: Copy, C: Copy, R: Copy>(
    a: &[A],
    b: &[B],
    c: &[C],
    out: &mut [R],
    f: impl Fn(A, B, C) -> R + Copy,
) {
    let len = out.len();
    let (a, b, c) = (Operand::of(a, len), Operand::of(b, len), Operand::of(c, len));
    let (blocks, rest) = out.as_chunks_mut();
    for (k, out) in blocks.iter_mut().enumerate() {
        zip_block(a.block(k), b.block(k), c.block(k), out, f);
    }
    for (i, out) in rest.iter_mut().enumerate() {
        *out = f(a.rest[i], b.rest[i], c.rest[i]);
    }
}

/// The same for functions of many operations. The last block is filled with zeros, so that one loop handles all elements: a second loop for
/// the remainder would make the library larger.
#[inline(always)]
pub(super) fn map_long<A: Copy + Default, R: Copy + Default>(
    a: &[A],
    out: &mut [R],
    f: impl Fn(A) -> R + Copy,
) {
    zip_long(a, a, out, |a, _| f(a));
}

#[inline(always)]
pub(super) fn zip_long<A: Copy + Default, B: Copy + Default, R: Copy + Default>(
    a: &[A],
    b: &[B],
    out: &mut [R],
    f: impl Fn(A, B) -> R + Copy,
) {
    let len = out.len();
    for (k, out) in out.chunks_mut(SHARED).enumerate() {
        let (a, b) = (filled(a, len, k), filled(b, len, k));
        let mut results = [R::default(); SHARED];
        zip_block(&a, &b, &b, &mut results, |a, b, _| f(a, b));
        out.copy_from_slice(&results[..out.len()]);
    }
}

/// Returns block `k` of an operand for `len` results, with zeros after the last lane.
#[inline(always)]
fn filled<T: Copy + Default>(lanes: &[T], len: usize, k: usize) -> [T; SHARED] {
    let from = if lanes.len() == len { &lanes[k * SHARED..] } else { lanes };
    let count = from.len().min(SHARED);
    let mut block = [T::default(); SHARED];
    block[..count].copy_from_slice(&from[..count]);
    block
}

/// A function of its own, by which the compiler knows that no operand lies where the result does. Without iterators: where
/// crates are not optimised as a whole, the making of a `Zip` is not inlined into what is compiled for an instruction set.
#[inline(always)]
fn zip_block<A: Copy, B: Copy, C: Copy, R>(
    a: &[A; SHARED],
    b: &[B; SHARED],
    c: &[C; SHARED],
    out: &mut [R; SHARED],
    f: impl Fn(A, B, C) -> R + Copy,
) {
    for i in 0..SHARED {
        out[i] = f(a[i], b[i], c[i]);
    }
}

/// Appends `len` lanes, a block at a time: what copies many at once is slow on some processors.
#[inline(always)]
pub(super) fn append<T: Copy + Default>(lanes: &[T], len: usize, to: &mut Aligned<T>) {
    let lanes = Operand::of(lanes, len);
    to.reserve(len);
    (0..len / SHARED).for_each(|k| to.extend_from_slice(lanes.block(k)));
    to.extend_from_slice(&lanes.rest[..len % SHARED]);
}
