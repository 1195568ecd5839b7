//! How rows of elements join lanes. The measurements are in ARCHITECTURE.md.
//!
//! Few lanes stay in registers while row after row joins them. Where any order gives the same, rows are taken in the order
//! of memory, or from some parts of the elements in turn: some processors read ahead of a program best in several places at once.

use crate::Scalar;
use crate::arith::join_rows;

/// In what order memory is read, where any order of some rows gives the same bits. Processors differ in which one is fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In several places in turn; nothing but the reads themselves asks for memory.
    Apart,
    /// A little in each of several places in turn, and what lies a little ahead of each is asked for.
    InTurn,
    /// In the order of memory; nothing but the reads themselves asks for it.
    InOrder,
    /// In the order of memory, and what lies some KiB ahead is asked for.
    Ahead,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 4] = [Way::Apart, Way::InTurn, Way::InOrder, Way::Ahead];

    /// How far ahead of elements that are read memory is asked for, in bytes; 0 if it is not.
    fn ahead(self) -> usize {
        match self {
            Way::Apart | Way::InOrder => 0,
            Way::InTurn => 512,
            Way::Ahead => 8192,
        }
    }

    /// Parts of the elements that rows are taken from in turn.
    fn parts(self) -> usize {
        match self {
            Way::Apart | Way::InTurn => PARTS,
            Way::InOrder | Way::Ahead => 1,
        }
    }
}

/// How memory is read.
pub trait Reading: Copy {
    /// In what order.
    fn way(self) -> Way;

    /// Asks for memory that will be read soon. It is compiled into the loops of every instruction set, and so takes no instructions
    /// but those of every processor.
    fn ask(self, at: *const i8);
}

/// Nothing asks for memory.
impl Reading for Way {
    #[inline(always)]
    fn way(self) -> Way {
        self
    }

    #[inline(always)]
    fn ask(self, _: *const i8) {}
}

/// Parts of the elements that rows are taken from in turn, where those are not read in order.
const PARTS: usize = 4;

/// Bytes of a line of the cache, nearly everywhere.
pub(super) const LINE: usize = 64;

/// Lanes that stay in registers while rows join them.
pub const NARROW: usize = 16;

/// Elements of a row that are read at once, and lanes that stay in registers meanwhile.
pub const BLOCK: usize = 32;

/// `b[i]`, then `b[i + len]`, … join `acc[i]` of `len`.
#[inline(always)]
pub(super) fn join<T: Copy, B: Copy>(
    acc: &mut [T],
    b: &[B],
    f: impl Fn(T, B) -> T + Copy,
    reading: impl Reading,
) {
    if let [acc] = acc {
        *acc = b.iter().fold(*acc, |acc, &b| f(acc, b));
        return;
    }
    for row in b.chunks(acc.len().max(1)) {
        join_row(acc, row, f, reading);
    }
}

/// [`join`] by what gives the same in any order.
#[inline(always)]
pub(super) fn join_in_parts<T: Copy, B: Copy>(
    acc: &mut [T],
    b: &[B],
    f: impl Fn(T, B) -> T + Copy,
    reading: impl Reading,
) {
    let (groups, rest) = grouped::<_, _, 4>(acc, b);
    if let Some(lanes) = acc.as_mut_array() {
        join_rows(lanes, InParts::new(groups, reading), f);
    }
    join(acc, rest, f, reading);
}

/// `acc[i] = f(acc[i], row[i])`, where there is a `row[i]`.
#[inline(always)]
fn join_row<T: Copy, B: Copy>(acc: &mut [T], row: &[B], f: impl Fn(T, B) -> T + Copy, reading: impl Reading) {
    let (blocks, rest) = row.as_chunks::<BLOCK>();
    let (lanes, last) = acc[..row.len()].as_chunks_mut::<BLOCK>();
    for (lanes, block) in lanes.iter_mut().zip(blocks) {
        ahead_of(block, reading);
        join_block(lanes, block, f);
    }
    for (lane, &x) in last.iter_mut().zip(rest) {
        *lane = f(*lane, x);
    }
}

#[inline(always)]
pub(super) fn join_block<T: Copy, B: Copy>(
    lanes: &mut [T; BLOCK],
    block: &[B; BLOCK],
    f: impl Fn(T, B) -> T,
) {
    // Whole, before it is written: a write might change what is read next.
    let mut met = *lanes;
    for (lane, &x) in met.iter_mut().zip(block) {
        *lane = f(*lane, x);
    }
    *lanes = met;
}

/// Asks for as much as those take, some way ahead of them, if that is how memory is read: line by line, in the order of memory,
/// which compilers do not keep.
#[inline(always)]
pub(super) fn ahead_of<G>(group: &G, reading: impl Reading) {
    let ahead = reading.way().ahead();
    if ahead > 0 {
        let there = (&raw const *group).cast::<i8>().wrapping_add(ahead);
        (0..size_of::<G>()).step_by(LINE).for_each(|line| reading.ask(there.wrapping_add(line)));
    }
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

/// Groups of rows: the first one of every part, then the second ones, …; or all in order.
///
/// No iterator of the standard library's: what is not inlined is compiled for every processor, and closures cannot ask for it.
pub(super) struct InParts<'b, G, R> {
    groups: &'b [G],
    parts: usize,
    part: usize,
    /// Where the next one lies: in which part, and at which place of it.
    next: [usize; 2],
    reading: R,
}

impl<'b, G, R: Reading> InParts<'b, G, R> {
    /// Those of `groups` that make equal parts.
    #[inline(always)]
    pub(super) fn new(groups: &'b [G], reading: R) -> InParts<'b, G, R> {
        let parts = reading.way().parts();
        InParts { groups, parts, part: groups.len() / parts, next: [0, 0], reading }
    }
}

impl<'b, G, R: Reading> Iterator for InParts<'b, G, R> {
    type Item = &'b G;

    #[inline(always)]
    fn next(&mut self) -> Option<&'b G> {
        let [part, place] = self.next;
        if place == self.part {
            return None;
        }
        self.next = if part + 1 < self.parts { [part + 1, place] } else { [0, place + 1] };
        let group = self.groups.get(part * self.part + place)?;
        ahead_of(group, self.reading);
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

/// Rows that join those at once: 64 to 256 bytes. Of twice as many, a Zen 5 takes up to 9 % longer.
pub(super) const fn rows(ty: Scalar) -> usize {
    match ty {
        Scalar::F16 | Scalar::Bf16 | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 | Scalar::Bool => 4,
        Scalar::F32 | Scalar::F64 | Scalar::I32 | Scalar::I64 | Scalar::U32 | Scalar::U64 => 2,
    }
}
