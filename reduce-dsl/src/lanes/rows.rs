//! How rows of elements join lanes. The measurements are in ARCHITECTURE.md.
//!
//! Few lanes stay in registers while row after row joins them. Of many lanes some do, while a little of each of some rows joins
//! them, side by side: processors, which read ahead of a program within a page or two, then do so in some places at once. What
//! comes behind all those rows is asked for meanwhile, once, into a cache that holds it until its turn comes. For the same
//! reason what gives the same in any order takes its rows from some parts of the elements in turn.

use crate::Scalar;
use crate::arith::join_rows;

/// Lanes that stay in registers while rows join them.
pub const NARROW: usize = 16;

/// Rows that are read side by side, at most. Lines of rows that lie some 4 KiB apart share one set of a first-level cache,
/// which has as many places, or a few more.
const SIDE: usize = 8;

/// Bytes of such rows, at most. With as many that are asked for they fill half of a small cache of the second level.
const SHEET: usize = 1 << 17;

/// Parts of the elements that rows are taken from in turn, where any order gives the same.
const PARTS: usize = 4;

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
    for row in b.chunks(acc.len().max(1)) {
        join_row(acc, row, f, fetch);
    }
}

/// [`join`] by what gives the same in any order.
#[inline(always)]
pub(super) fn join_in_parts<T: Copy, B: Copy>(
    acc: &mut [T],
    b: &[B],
    f: impl Fn(T, B) -> T + Copy,
    fetch: impl Fn(*const i8) + Copy,
) {
    let (groups, rest) = grouped::<_, _, 4>(acc, b);
    if let Some(lanes) = acc.as_mut_array() {
        join_rows(lanes, InParts::new(groups, fetch), f);
    }
    join(acc, rest, f, fetch);
}

/// `acc[i] = f(acc[i], row[i])`, where there is a `row[i]`.
#[inline(always)]
fn join_row<T: Copy, B: Copy>(
    acc: &mut [T],
    row: &[B],
    f: impl Fn(T, B) -> T + Copy,
    fetch: impl Fn(*const i8) + Copy,
) {
    let (blocks, rest) = row.as_chunks::<BLOCK>();
    let (lanes, last) = acc[..row.len()].as_chunks_mut::<BLOCK>();
    for (lanes, block) in lanes.iter_mut().zip(blocks) {
        ahead_of(block, fetch);
        join_block(lanes, block, f);
    }
    for (lane, &x) in last.iter_mut().zip(rest) {
        *lane = f(*lane, x);
    }
}

#[inline(always)]
fn join_block<T: Copy, B: Copy>(lanes: &mut [T; BLOCK], block: &[B; BLOCK], f: impl Fn(T, B) -> T) {
    // Whole, before it is written: a write might change what is read next.
    let mut met = *lanes;
    for (lane, &x) in met.iter_mut().zip(block) {
        *lane = f(*lane, x);
    }
    *lanes = met;
}

/// [`join`] by what is worth more code: rows that are read side by side.
#[inline(always)]
pub(super) fn join_side_by_side<T: Copy, B: Copy>(
    acc: &mut [T],
    b: &[B],
    f: impl Fn(T, B) -> T + Copy,
    fetch: impl Fn(*const i8) + Copy,
) {
    let rest = join_sheets(acc, b, |lanes, block| join_block(lanes, block, f), fetch);
    join(acc, rest, f, fetch);
}

/// Whole rows of `b`, each as long as `acc`, join it one after the other: `block` joins many elements at once. What
/// does not join is given back. `fetch` is called for what will be read soon.
#[inline(always)]
pub fn join_sheets<'b, T: Copy, B>(
    acc: &mut [T],
    b: &'b [B],
    block: impl Fn(&mut [T; BLOCK], &[B; BLOCK]) + Copy,
    fetch: impl Fn(*const i8) + Copy,
) -> &'b [B] {
    let len = acc.len();
    let (lanes, []) = acc.as_chunks_mut::<BLOCK>() else { return b };
    let Some(rows) = b.len().checked_div(len) else { return b };
    let (whole, rest) = b.split_at(rows * len);
    let side = (SHEET / (len * size_of::<B>())).clamp(1, SIDE);
    for sheet in whole.chunks(side * len) {
        join_sheet(lanes, sheet, block, fetch);
    }
    rest
}

/// The same for rows that are read side by side.
#[inline(always)]
fn join_sheet<T: Copy, B>(
    acc: &mut [[T; BLOCK]],
    sheet: &[B],
    block: impl Fn(&mut [T; BLOCK], &[B; BLOCK]) + Copy,
    fetch: impl Fn(*const i8) + Copy,
) {
    let len = acc.len() * BLOCK;
    // One row may be anything, and nothing may come behind it.
    let bytes = if sheet.len() > len { BLOCK * size_of::<B>() } else { 0 };
    let mut next = sheet.as_ptr_range().end.cast();
    for (k, lanes) in acc.iter_mut().enumerate() {
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

/// Groups of rows: the first one of every part, then the second ones, …. What comes behind each is asked for.
///
/// No iterator of the standard library's: what is not inlined is compiled for every processor, and closures cannot ask for it.
pub(super) struct InParts<'b, G, F> {
    groups: &'b [G],
    next: usize,
    fetch: F,
}

impl<'b, G, F: Fn(*const i8) + Copy> InParts<'b, G, F> {
    /// Those of `groups` that make equal parts.
    #[inline(always)]
    pub(super) fn new(groups: &'b [G], fetch: F) -> InParts<'b, G, F> {
        InParts { groups, next: 0, fetch }
    }
}

impl<'b, G, F: Fn(*const i8) + Copy> Iterator for InParts<'b, G, F> {
    type Item = &'b G;

    #[inline(always)]
    fn next(&mut self) -> Option<&'b G> {
        let part = self.groups.len() / PARTS;
        let (k, at) = (self.next % PARTS, self.next / PARTS);
        if at == part {
            return None;
        }
        self.next += 1;
        let group = self.groups.get(k * part + at)?;
        ahead_of(group, self.fetch);
        Some(group)
    }
}

/// As many whole groups of rows of `b` as make equal parts, and the rest, if `acc` stays in registers; else none, and everything.
#[inline(always)]
pub(super) fn grouped<'b, T, B, const ROWS: usize>(
    acc: &[T],
    b: &'b [B],
) -> (&'b [[[B; NARROW]; ROWS]], &'b [B]) {
    let (rows, _) = if acc.len() == NARROW { b.as_chunks() } else { (&[][..], b) };
    let (groups, _) = rows.as_chunks();
    let groups = &groups[..groups.len() / PARTS * PARTS];
    (groups, &b[groups.len() * ROWS * NARROW..])
}

/// Rows that join those at once: some hundred bytes.
pub(super) const fn rows(ty: Scalar) -> usize {
    match ty {
        Scalar::F16 | Scalar::Bf16 | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 | Scalar::Bool => 8,
        Scalar::F32 | Scalar::F64 | Scalar::I32 | Scalar::I64 | Scalar::U32 | Scalar::U64 => 4,
    }
}
