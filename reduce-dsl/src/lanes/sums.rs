//! Sums of floats, whose association shows: rows of a chunk join lanes, and the lanes begin to meet where they are. The
//! measurements are in ARCHITECTURE.md.
//!
//! Rows of a chunk lie some KiB apart, and some processors read ahead of a program in several places at once. So either some rows
//! join a few lanes side by side, while those stay in registers; or one row after the other joins all lanes. Lanes of `auto` are
//! few enough to stay in the first-level cache.

use super::rows::{AHEAD, BLOCK, LINE, Reading, Way, append, ask_ahead, join_block};
use super::{LaneError, Lanes, LanesRef, bug};
use crate::Scalar;
use crate::arith::{As, Number};
use crate::ops::Bin;

/// Rows that are read side by side. Lines of rows that lie some 4 KiB apart share one set of a first-level cache, which has as
/// many places, or a few more.
const SIDE: usize = 8;

/// Chunks that are summed by one call, which hides its cost.
const CHUNKS: usize = 4;

/// How the lanes of chunks are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summed {
    chunk: usize,
    lanes: usize,
    pairs: usize,
}

impl Summed {
    /// Chunks of so many elements, in so many lanes, each of one element of every row, of which every `pairs` (1, 2, 4 or 8)
    /// meet by pairs, until one of them is left. None if there is no loop for it: chunks are whole rows, and lanes multiples of
    /// [`BLOCK`].
    pub fn new(chunk: usize, lanes: usize, pairs: usize) -> Option<Summed> {
        let has_rows = lanes > 0 && chunk > 0 && chunk.is_multiple_of(lanes);
        let known = has_rows && lanes.is_multiple_of(BLOCK) && matches!(pairs, 1 | 2 | 4 | 8);
        known.then_some(Summed { chunk, lanes, pairs })
    }

    /// Elements of as many chunks as are best summed at once.
    pub fn at_once(self) -> usize {
        self.chunk.saturating_mul(CHUNKS)
    }

    /// Lanes that become one.
    pub fn pairs(self) -> usize {
        self.pairs
    }
}

/// Is there a loop for sums of those elements in accumulators of that type?
pub(crate) fn sums(op: Bin, from: Scalar, to: Scalar) -> bool {
    let narrow = matches!(from, Scalar::F16 | Scalar::Bf16) && to == Scalar::F32;
    op == Bin::Add && (narrow || from == to && matches!(to, Scalar::F32 | Scalar::F64))
}

/// Appends to `out` what is left of the lanes of whole chunks, into which their rows were summed. `acc` is overwritten.
#[inline(always)]
pub(super) fn sum(
    chunks: LanesRef<'_>,
    how: Summed,
    acc: &mut Lanes,
    out: &mut Lanes,
    reading: impl Reading,
) -> Result<(), LaneError> {
    match (chunks, acc, out) {
        (LanesRef::F32(x), Lanes::F32(acc), Lanes::F32(out)) => sum_rows(x, how, acc, out, add, reading),
        (LanesRef::F64(x), Lanes::F64(acc), Lanes::F64(out)) => sum_rows(x, how, acc, out, add, reading),
        (LanesRef::F16(x), Lanes::F32(acc), Lanes::F32(out)) => sum_rows(x, how, acc, out, widen, reading),
        (LanesRef::Bf16(x), Lanes::F32(acc), Lanes::F32(out)) => sum_rows(x, how, acc, out, widen, reading),
        (chunks, ..) => return bug("sum", &[chunks]),
    }
    Ok(())
}

#[inline(always)]
fn add<T: Number>(acc: &mut [T; BLOCK], x: &[T; BLOCK]) {
    join_block(acc, x, Number::add);
}

#[inline(always)]
fn widen<B: As<f32> + Copy>(acc: &mut [f32; BLOCK], x: &[B; BLOCK]) {
    join_block(acc, x, |acc, x| acc + x.to());
}

/// [`super::sum`] of one type, where `join` joins a block of elements to as many lanes.
#[inline(always)]
pub fn sum_rows<T: Number, B>(
    chunks: &[B],
    how: Summed,
    acc: &mut Vec<T>,
    out: &mut Vec<T>,
    join: impl Fn(&mut [T; BLOCK], &[B; BLOCK]) + Copy,
    reading: impl Reading,
) {
    for chunk in chunks.chunks(how.chunk) {
        let acc = aligned(acc, how.lanes);
        // What leaves every number as it is.
        acc.fill(T::default().neg());
        match reading.way() {
            Some(Way::Apart) => join_side_by_side(acc, chunk, join, reading),
            Some(Way::InOrder) | None => join_row_by_row(acc, chunk, join, reading),
        }
        match how.pairs {
            2 => meet::<_, 2>(acc, out),
            4 => meet::<_, 4>(acc, out),
            8 => meet::<_, 8>(acc, out),
            _ => append(acc, out),
        }
    }
}

/// So many lanes of `acc`, which begin at a line of the cache: vectors that lie across two take twice as long.
#[inline(always)]
fn aligned<T: Number>(acc: &mut Vec<T>, len: usize) -> &mut [T] {
    acc.resize(len + LINE / size_of::<T>(), T::default());
    let start = acc.as_ptr().align_offset(LINE).min(acc.len() - len);
    &mut acc[start..start + len]
}

/// The rows of a chunk join its lanes, some rows side by side, each read by instructions of its own.
#[inline(always)]
fn join_side_by_side<T: Number, B>(
    acc: &mut [T],
    chunk: &[B],
    join: impl Fn(&mut [T; BLOCK], &[B; BLOCK]) + Copy,
    reading: impl Reading,
) {
    let len = acc.len();
    let sheets = chunk.chunks_exact(SIDE * len);
    let rest = sheets.remainder();
    for sheet in sheets {
        let (lanes, _) = acc.as_chunks_mut();
        let mut rows = [&[][..]; SIDE];
        for (row, elements) in rows.iter_mut().zip(sheet.chunks_exact(len)) {
            *row = &elements.as_chunks().0[..lanes.len()];
        }
        for (k, lanes) in lanes.iter_mut().enumerate() {
            // In registers.
            let mut kept = *lanes;
            for row in rows {
                ask_ahead(&row[k], AHEAD / SIDE, reading);
                join(&mut kept, &row[k]);
            }
            *lanes = kept;
        }
    }
    join_row_by_row(acc, rest, join, reading);
}

/// The rows of a chunk join its lanes one after the other.
#[inline(always)]
fn join_row_by_row<T: Number, B>(
    acc: &mut [T],
    chunk: &[B],
    join: impl Fn(&mut [T; BLOCK], &[B; BLOCK]),
    reading: impl Reading,
) {
    for row in chunk.chunks_exact(acc.len()) {
        for (lanes, x) in acc.as_chunks_mut().0.iter_mut().zip(row.as_chunks().0) {
            ask_ahead(x, AHEAD, reading);
            join(lanes, x);
        }
    }
}

/// Appends what is left of every so many lanes, which meet by pairs.
#[inline(always)]
fn meet<T: Number, const PAIRS: usize>(lanes: &[T], out: &mut Vec<T>) {
    let met = out.len();
    out.resize(met + lanes.len() / PAIRS, T::default());
    for (out, lanes) in out[met..].iter_mut().zip(lanes.as_chunks::<PAIRS>().0) {
        let (mut left, mut len) = (*lanes, PAIRS);
        while len > 1 {
            len /= 2;
            (0..len).for_each(|i| left[i] = left[2 * i].add(left[2 * i + 1]));
        }
        *out = left[0];
    }
}
