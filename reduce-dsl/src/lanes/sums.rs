//! Sums of floats, whose association shows: rows of a chunk join lanes, and the lanes begin to meet where they are. The
//! measurements are in ARCHITECTURE.md.
//!
//! Rows of a chunk lie some KiB apart, and some processors read ahead of a program in several places at once. So either some rows
//! join a few lanes side by side, while those stay in registers; or one row after the other joins all lanes, of one chunk or of
//! several in turn. Lanes of `auto` are few enough to stay in the first-level cache.

use super::rows::{BLOCK, LINE, Reading, Way, ahead_of, append, join_block};
use super::{LaneError, Lanes, LanesRef, bug};
use crate::Scalar;
use crate::arith::{As, Number};
use crate::ops::Bin;

/// Rows that are read side by side, at most. Lines of rows that lie some 4 KiB apart share one set of a first-level cache,
/// which has as many places, or a few more.
const SIDE: usize = 8;

/// Bytes of such rows, at most: half of a small cache of the second level.
const SHEET: usize = 1 << 17;

/// Chunks that are summed in turn, at most.
const TURNS: usize = 4;

/// Bytes of the lanes of chunks that are summed in turn, at most, where these are several: they stay in the first-level cache.
const IN_TURN: usize = 1 << 15;

/// Bytes that are read of one chunk, before the next one has its turn.
const LITTLE: usize = 256;

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
        self.chunk.saturating_mul(TURNS)
    }

    /// Chunks that are summed in turn, and elements of a row that are read of one before the next one has its turn.
    fn in_turn<T, B>(self) -> (usize, usize) {
        let turns = (IN_TURN / (self.lanes * size_of::<T>())).clamp(1, TURNS);
        (turns, (LITTLE / size_of::<B>()).max(BLOCK))
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
    let (turns, little) = match reading.way() {
        Way::InTurn => how.in_turn::<T, B>(),
        Way::Apart | Way::InOrder | Way::Ahead => (1, how.lanes),
    };
    for chunks in chunks.chunks(turns * how.chunk) {
        let acc = aligned(acc, chunks.len() / how.chunk * how.lanes);
        match reading.way() {
            Way::Apart => join_side_by_side(acc, chunks, join),
            Way::InTurn | Way::InOrder | Way::Ahead => {
                join_row_by_row(acc, chunks, how, little, join, reading)
            }
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

/// The rows of a chunk join its lanes, some rows side by side.
#[inline(always)]
fn join_side_by_side<T: Number, B>(acc: &mut [T], chunk: &[B], join: impl Fn(&mut [T; BLOCK], &[B; BLOCK])) {
    let len = acc.len();
    let side = (SHEET / size_of_val(&chunk[..len])).clamp(1, SIDE);
    for (number, sheet) in chunk.chunks(side * len).enumerate() {
        for (k, lanes) in acc.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            // In registers. What leaves every number as it is, is -0.
            let mut kept = if number == 0 { [T::default().neg(); BLOCK] } else { *lanes };
            for row in sheet.chunks_exact(len) {
                if let Some(x) = row[k * BLOCK..].first_chunk() {
                    join(&mut kept, x);
                }
            }
            *lanes = kept;
        }
    }
}

/// The rows of chunks join their lanes one after the other, a little of one chunk after as much of the next one.
#[inline(always)]
fn join_row_by_row<T: Number, B>(
    acc: &mut [T],
    chunks: &[B],
    how: Summed,
    little: usize,
    join: impl Fn(&mut [T; BLOCK], &[B; BLOCK]),
    reading: impl Reading,
) {
    // What leaves every number as it is.
    acc.fill(T::default().neg());
    for row in (0..how.chunk).step_by(how.lanes) {
        for at in (0..how.lanes).step_by(little) {
            let some = at..how.lanes.min(at + little);
            for (chunk, lanes) in chunks.chunks_exact(how.chunk).zip(acc.chunks_exact_mut(how.lanes)) {
                let (lanes, _) = lanes[some.clone()].as_chunks_mut();
                for (lanes, x) in lanes.iter_mut().zip(chunk[row..][some.clone()].as_chunks().0) {
                    ahead_of(x, reading);
                    join(lanes, x);
                }
            }
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
