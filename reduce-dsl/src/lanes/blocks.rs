//! Loops over lanes: `out[i] = f(…)`, for all lanes of `out`.
//!
//! An operand has as many lanes as the result, or is one [`BLOCK`] of one value, which stands for every block. So what all lanes share
//! takes no more memory, and needs no loop of its own.

use super::BLOCK;

/// The lanes of an operand, `N` at a time.
#[derive(Clone, Copy)]
struct Operand<'a, T, const N: usize> {
    groups: &'a [[T; N]],
    rest: &'a [T],
    /// From the group of one group of the result to that of the next.
    step: usize,
}

impl<'a, T, const N: usize> Operand<'a, T, N> {
    #[inline(always)]
    fn of(lanes: &'a [T], len: usize) -> Self {
        debug_assert!(lanes.len() == len || lanes.len() == BLOCK, "{} lanes for {len}", lanes.len());
        let (groups, rest) = lanes.as_chunks();
        if lanes.len() == len {
            Operand { groups, rest, step: 1 }
        } else {
            Operand { groups, rest: &lanes[..N], step: 0 }
        }
    }

    #[inline(always)]
    fn group(self, k: usize) -> &'a [T; N] {
        &self.groups[k * self.step]
    }
}

#[inline(always)]
pub(super) fn map<A: Copy, R: Copy + Default>(a: &[A], out: &mut [R], f: impl Fn(A) -> R) {
    zip(a, a, out, |a, _| f(a));
}

#[inline(always)]
pub(super) fn zip<A: Copy, B: Copy, R: Copy + Default>(
    a: &[A],
    b: &[B],
    out: &mut [R],
    f: impl Fn(A, B) -> R,
) {
    zip3(a, b, b, out, |a, b, _| f(a, b));
}

/// Two vectors of AVX2 at a time, of the widest type, or a block.
#[inline(always)]
pub(super) fn zip3<A: Copy, B: Copy, C: Copy, R: Copy + Default>(
    a: &[A],
    b: &[B],
    c: &[C],
    out: &mut [R],
    f: impl Fn(A, B, C) -> R,
) {
    // A type is no constant yet.
    match size_of::<A>().max(size_of::<B>()).max(size_of::<C>()).max(size_of::<R>()) {
        0..4 => by_groups::<_, _, _, _, BLOCK>(a, b, c, out, f),
        4..8 => by_groups::<_, _, _, _, { BLOCK / 2 }>(a, b, c, out, f),
        _ => by_groups::<_, _, _, _, { BLOCK / 4 }>(a, b, c, out, f),
    }
}

#[inline(always)]
fn by_groups<A: Copy, B: Copy, C: Copy, R: Copy + Default, const N: usize>(
    a: &[A],
    b: &[B],
    c: &[C],
    out: &mut [R],
    f: impl Fn(A, B, C) -> R,
) {
    let len = out.len();
    let (a, b, c) = (Operand::<_, N>::of(a, len), Operand::<_, N>::of(b, len), Operand::<_, N>::of(c, len));
    let (groups, rest) = out.as_chunks_mut::<N>();
    for (k, out) in groups.iter_mut().enumerate() {
        // Whole, before it is written: a write might change what is read next.
        let mut made = [R::default(); N];
        let operands = a.group(k).iter().zip(b.group(k)).zip(c.group(k));
        made.iter_mut().zip(operands).for_each(|(made, ((&a, &b), &c))| *made = f(a, b, c));
        *out = made;
    }
    let operands = a.rest.iter().zip(b.rest).zip(c.rest);
    rest.iter_mut().zip(operands).for_each(|(out, ((&a, &b), &c))| *out = f(a, b, c));
}

/// Appends `len` lanes, a block at a time: what copies many at once is slow on some processors.
#[inline(always)]
pub(super) fn append<T: Copy>(lanes: &[T], len: usize, to: &mut Vec<T>) {
    let lanes = Operand::<_, BLOCK>::of(lanes, len);
    to.reserve(len);
    (0..len / BLOCK).for_each(|k| to.extend_from_slice(lanes.group(k)));
    to.extend_from_slice(&lanes.rest[..len % BLOCK]);
}
