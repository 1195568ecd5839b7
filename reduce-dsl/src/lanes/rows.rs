//! How rows of elements join lanes: many rows side by side, a little of each in turn.
//!
//! So lanes stay in registers while rows join them, and processors, which read ahead of a program within a page or two, do so in
//! many places at once. What comes behind all those rows is asked for meanwhile, once, into a cache that holds it until its
//! turn comes. The measurements are in ARCHITECTURE.md.

use crate::Scalar;
use crate::arith::join_rows;

/// Lanes that stay in registers while rows join them.
pub const NARROW: usize = 16;

/// Rows that are read side by side, at most.
const SIDE: usize = 16;

/// Bytes of such rows, at most. With as many that are asked for they fill half of a small cache of the second level.
const SHEET: usize = 1 << 17;

/// Elements of a row that are read at once, and lanes that stay in registers meanwhile.
pub const BLOCK: usize = 32;

/// `b[i]`, then `b[i + len]`, … join `acc[i]` of `len`.
#[inline(always)]
pub(super) fn join<T: Copy, B: Copy>(
    acc: &mut [T],
    b: &[B],
    f: impl Fn(T, B) -> T + Copy,
    fetch: impl Fn(*const i8) + Copy,
) {
    if let [acc] = acc {
        *acc = b.iter().fold(*acc, |acc, &b| f(acc, b));
        return;
    }
    // No closure of the standard library's in between: what is not inlined is compiled for every processor.
    let (groups, rest) = grouped::<_, _, 4>(acc, b);
    if let Some(lanes) = acc.as_mut_array() {
        join_rows(lanes, groups.iter().inspect(|group| ahead_of(group, fetch)), f);
    }
    let block = |lanes: &mut [T; BLOCK], x: &[B; BLOCK]| {
        for (lane, &x) in lanes.iter_mut().zip(x) {
            *lane = f(*lane, x);
        }
    };
    join_sheets(acc, rest, block, |lane, &x| *lane = f(*lane, x), fetch);
}

/// `b[i]`, then `b[i + len]`, … join `acc[i]` of `len`: `block` joins many at once, and `one` one. `fetch` is called for what
/// will be read soon.
#[inline(always)]
pub fn join_sheets<T: Copy, B>(
    acc: &mut [T],
    b: &[B],
    block: impl Fn(&mut [T; BLOCK], &[B; BLOCK]) + Copy,
    one: impl Fn(&mut T, &B) + Copy,
    fetch: impl Fn(*const i8) + Copy,
) {
    let len = acc.len().max(1);
    let rows = (SHEET / (len * size_of::<B>()).max(1)).clamp(1, SIDE);
    let (whole, last) = b.split_at(b.len() / len * len);
    for sheet in whole.chunks(rows * len) {
        join_sheet(acc, sheet, block, one, fetch);
    }
    join_sheet(&mut acc[..last.len()], last, block, one, fetch);
}

/// The same for whole rows, which are read side by side.
#[inline(always)]
fn join_sheet<T: Copy, B>(
    acc: &mut [T],
    sheet: &[B],
    block: impl Fn(&mut [T; BLOCK], &[B; BLOCK]) + Copy,
    one: impl Fn(&mut T, &B) + Copy,
    fetch: impl Fn(*const i8) + Copy,
) {
    let len = acc.len().max(1);
    let (blocks, last) = acc.as_chunks_mut::<BLOCK>();
    let start = blocks.len() * BLOCK;
    // One row may be anything, and nothing may come behind it.
    let bytes = if sheet.len() > len { BLOCK * size_of::<B>() } else { 0 };
    let mut next = sheet.as_ptr_range().end.cast();
    for (k, lanes) in blocks.iter_mut().enumerate() {
        // In registers.
        let mut kept = *lanes;
        // The row before these is not one of them, but one of the next.
        ahead(&mut next, bytes, fetch);
        for row in sheet.chunks_exact(len) {
            ahead(&mut next, bytes, fetch);
            if let Some(x) = row[k * BLOCK..].first_chunk() {
                block(&mut kept, x);
            }
        }
        *lanes = kept;
    }
    for row in sheet.chunks_exact(len) {
        last.iter_mut().zip(&row[start..]).for_each(|(lane, x)| one(lane, x));
    }
}

/// How far ahead of elements that are read one after the other memory is asked for, in bytes.
const AHEAD: usize = 8192;

/// Asks for as much as those take, so far behind them.
#[inline(always)]
pub(super) fn ahead_of<G>(group: &G, fetch: impl Fn(*const i8)) {
    ahead(&mut (&raw const *group).cast::<i8>().wrapping_add(AHEAD), size_of::<G>(), fetch);
}

/// Asks for the next `bytes`.
#[inline(always)]
fn ahead(next: &mut *const i8, bytes: usize, fetch: impl Fn(*const i8)) {
    for line in (0..bytes).step_by(64) {
        fetch(next.wrapping_add(line));
    }
    *next = next.wrapping_add(bytes);
}

/// Appends elements to others, a block at a time: what copies many at once is slow on some processors.
#[inline(always)]
pub(super) fn append<T: Copy>(elements: &[T], to: &mut Vec<T>) {
    let (blocks, rest) = elements.as_chunks::<BLOCK>();
    to.reserve(elements.len());
    for block in blocks {
        to.extend_from_slice(block);
    }
    to.extend_from_slice(rest);
}

/// All whole groups of rows of `b`, and the rest, if `acc` stays in registers; else none, and everything.
#[inline(always)]
pub(super) fn grouped<'b, T, B, const ROWS: usize>(
    acc: &[T],
    b: &'b [B],
) -> (&'b [[[B; NARROW]; ROWS]], &'b [B]) {
    let (rows, _) = if acc.len() == NARROW { b.as_chunks() } else { (&[][..], b) };
    let (groups, _) = rows.as_chunks();
    (groups, &b[groups.len() * ROWS * NARROW..])
}

/// Rows that join those at once: some hundred bytes.
pub(super) const fn rows(ty: Scalar) -> usize {
    match ty {
        Scalar::F16 | Scalar::Bf16 | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 | Scalar::Bool => 8,
        Scalar::F32 | Scalar::F64 | Scalar::I32 | Scalar::I64 | Scalar::U32 | Scalar::U64 => 4,
    }
}
