//! Sums of floats, whose association shows: rows of a chunk join lanes, and the lanes begin to meet where they are. The
//! measurements are in ARCHITECTURE.md.
//!
//! Some lanes stay in registers while a little of each of some rows joins them, side by side: processors, which read ahead of a
//! program within a page or two, then do so in some places at once. What comes behind all those rows is asked for
//! meanwhile, once, into a cache that holds it until its turn comes.

use super::rows::{BLOCK, Reading, ahead, append, join_block};
use super::{LaneError, Lanes, LanesRef, bug};
use crate::Scalar;
use crate::arith::{As, Number};
use crate::ops::Bin;

/// Rows that are read side by side, at most. Lines of rows that lie some 4 KiB apart share one set of a first-level cache,
/// which has as many places, or a few more.
const SIDE: usize = 8;

/// Bytes of such rows, at most. With as many that are asked for they fill half of a small cache of the second level.
const SHEET: usize = 1 << 17;

/// How the lanes of a chunk are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summed {
    lanes: usize,
    pairs: usize,
}

impl Summed {
    /// So many lanes, each of one element of every row, of which every `pairs` (1, 2, 4 or 8) meet by pairs, until one of them is
    /// left. None if there is no loop for it: lanes are multiples of [`BLOCK`].
    pub fn new(lanes: usize, pairs: usize) -> Option<Summed> {
        let known = lanes > 0 && lanes.is_multiple_of(BLOCK) && matches!(pairs, 1 | 2 | 4 | 8);
        known.then_some(Summed { lanes, pairs })
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

/// Appends to `out` what is left of the lanes of a chunk, into which whole rows of it were summed. `acc` is overwritten.
#[inline(always)]
pub(super) fn sum(
    chunk: LanesRef<'_>,
    how: Summed,
    acc: &mut Lanes,
    out: &mut Lanes,
    reading: impl Reading,
) -> Result<(), LaneError> {
    match (chunk, acc, out) {
        (LanesRef::F32(x), Lanes::F32(acc), Lanes::F32(out)) => sum_rows(x, how, acc, out, add, reading),
        (LanesRef::F64(x), Lanes::F64(acc), Lanes::F64(out)) => sum_rows(x, how, acc, out, add, reading),
        (LanesRef::F16(x), Lanes::F32(acc), Lanes::F32(out)) => sum_rows(x, how, acc, out, widen, reading),
        (LanesRef::Bf16(x), Lanes::F32(acc), Lanes::F32(out)) => sum_rows(x, how, acc, out, widen, reading),
        (chunk, ..) => return bug("sum", &[chunk]),
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
    chunk: &[B],
    how: Summed,
    acc: &mut Vec<T>,
    out: &mut Vec<T>,
    join: impl Fn(&mut [T; BLOCK], &[B; BLOCK]) + Copy,
    reading: impl Reading,
) {
    acc.resize(how.lanes, T::default());
    let side = (SHEET / (how.lanes * size_of::<B>())).clamp(1, SIDE);
    for (number, sheet) in chunk.chunks(side * how.lanes).enumerate() {
        join_sheet(acc, sheet, number == 0, join, reading);
    }
    match how.pairs {
        2 => meet::<_, 2>(acc, out),
        4 => meet::<_, 4>(acc, out),
        8 => meet::<_, 8>(acc, out),
        _ => append(acc, out),
    }
}

/// The rows of a sheet join the lanes, which begin with them if it is the first.
#[inline(always)]
fn join_sheet<T: Number, B>(
    acc: &mut [T],
    sheet: &[B],
    is_first: bool,
    join: impl Fn(&mut [T; BLOCK], &[B; BLOCK]),
    reading: impl Reading,
) {
    let len = acc.len();
    let mut next = sheet.as_ptr_range().end.cast();
    for (k, lanes) in acc.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        // In registers. What leaves every number as it is, is -0.
        let mut kept = if is_first { [T::default().neg(); BLOCK] } else { *lanes };
        for row in sheet.chunks_exact(len) {
            ahead(&mut next, BLOCK * size_of::<B>(), reading);
            if let Some(x) = row[k * BLOCK..].first_chunk() {
                join(&mut kept, x);
            }
        }
        *lanes = kept;
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
