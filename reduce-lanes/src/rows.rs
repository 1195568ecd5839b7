//! How rows of elements join lanes. docs/decisions.md has the figures.
//!
//! Few lanes stay in registers while row after row joins them. Where any order gives the same, rows are taken in the order
//! of memory, or from some parts of the elements in turn: some processors read ahead of a program best in several places at once.
//! All ask for memory ahead, some KiB or some lines, which is faster than any of them reads by itself.

use reduce_ir::arith::join_rows;

/// In what order memory is read, where any order of some rows gives the same bits. Processors differ in which one is faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A line in each of several places in turn.
    Apart,
    /// As it lies there.
    InOrder,
    /// As it lies there, asked for only some lines ahead.
    Near,
    /// As it lies there, asked for some KiB ahead, into the second-level cache.
    Staged,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 4] = [Way::Apart, Way::InOrder, Way::Near, Way::Staged];
}

/// How elements are read.
pub trait Reading: Copy {
    /// In what order; none where they are at hand.
    fn way(self) -> Option<Way>;

    /// Asks for memory that will be read soon. It is compiled into the loops of every instruction set, and so takes no instructions
    /// but those of every processor.
    fn ask(self, at: *const i8);

    /// The same into the second-level cache, where that helps.
    #[inline(always)]
    fn ask_second(self, _at: *const i8) {}

    /// Reads of the `k`-th group, which is used next, a byte of each line, where that helps.
    #[inline(always)]
    fn touch<G>(self, _groups: &[G], _k: usize) {}
}

/// Nothing asks for memory.
impl Reading for Option<Way> {
    #[inline(always)]
    fn way(self) -> Option<Way> {
        self
    }

    #[inline(always)]
    fn ask(self, _: *const i8) {}
}

/// Bytes that are asked for and not yet read, in all places together: as many as a core needs to keep its memory busy, and a
/// quarter of a small cache of the first level.
const AHEAD: usize = 8192;

/// The same for processors that keep their memory busy by themselves, and only come late.
const NEAR: usize = 256;

/// The same for the second-level cache.
const STAGED: usize = 7168;

/// How many bytes ahead elements are asked for, into the first-level cache and the second-level one. What is at hand is asked for
/// as it is read, which costs less than a branch.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    first: usize,
    second: usize,
}

impl Distance {
    /// In all places together.
    #[inline(always)]
    pub(super) fn of(reading: impl Reading) -> Distance {
        match reading.way() {
            Some(Way::Apart | Way::InOrder) => Distance { first: AHEAD, second: 0 },
            Some(Way::Near) => Distance { first: NEAR, second: 0 },
            Some(Way::Staged) => Distance { first: 0, second: STAGED },
            None => Distance { first: 0, second: 0 },
        }
    }

    /// In each of so many places.
    #[inline(always)]
    pub(super) fn each(self, places: usize) -> Distance {
        Distance { first: self.first / places, second: self.second / places }
    }
}

/// Places that rows are taken from in turn, an even number, each by instructions of its own: some processors tell by the
/// instruction what is read next, and so read ahead in several places twice as fast as where one loop goes from place to place.
const PARTS: usize = 4;

/// Bytes of a line of the cache, nearly everywhere.
pub const LINE: usize = 64;

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
    // A type is no constant yet.
    let rest = match size_of::<B>() {
        1 => join_groups::<_, _, { rows(1) }>(acc, b, f, reading),
        2 => join_groups::<_, _, { rows(2) }>(acc, b, f, reading),
        _ => join_groups::<_, _, { rows(4) }>(acc, b, f, reading),
    };
    join(acc, rest, f, reading);
}

/// As many whole groups as make equal parts join `acc`, if that stays in registers. What is left.
#[inline(always)]
fn join_groups<'b, T: Copy, B: Copy, const ROWS: usize>(
    acc: &mut [T],
    b: &'b [B],
    f: impl Fn(T, B) -> T,
    reading: impl Reading,
) -> &'b [B] {
    let (groups, rest) = grouped::<_, _, ROWS>(acc, b);
    if let Some(lanes) = acc.as_mut_array() {
        join_rows(lanes, InParts::new(groups, reading), f);
    }
    rest
}

/// `acc[i] = f(acc[i], row[i])`, where there is a `row[i]`.
#[inline(always)]
fn join_row<T: Copy, B: Copy>(acc: &mut [T], row: &[B], f: impl Fn(T, B) -> T + Copy, reading: impl Reading) {
    let (blocks, rest) = row.as_chunks::<BLOCK>();
    let (lanes, last) = acc[..row.len()].as_chunks_mut::<BLOCK>();
    let ahead = Distance::of(reading);
    for (lanes, block) in lanes.iter_mut().zip(blocks) {
        ask_ahead(block, ahead, reading);
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

/// Asks for as much as those take, so many bytes ahead of them: line by line, in the order of memory, which compilers do not
/// keep.
#[inline(always)]
pub(super) fn ask_ahead<G>(group: &G, ahead: Distance, reading: impl Reading) {
    let here = (&raw const *group).cast::<i8>();
    for line in (0..size_of::<G>()).step_by(LINE) {
        reading.ask(here.wrapping_add(ahead.first + line));
        reading.ask_second(here.wrapping_add(ahead.second + line));
    }
}

/// Groups of rows, some at once: the first one of every part, then the second ones, …; or all in order.
///
/// No iterator of the standard library's: what is not inlined is compiled for every processor, and closures cannot ask for it.
pub(super) struct InParts<'b, G, R> {
    /// Where those at once lie, with all that may follow: as many groups each, so that one bound holds for all.
    parts: [&'b [G]; PARTS],
    next: usize,
    /// From one to the next of its part.
    step: usize,
    ahead: Distance,
    reading: R,
}

impl<'b, G, R: Reading> InParts<'b, G, R> {
    /// Those of `groups`, which make equal parts.
    #[inline(always)]
    pub(super) fn new(groups: &'b [G], reading: R) -> InParts<'b, G, R> {
        let part = groups.len() / PARTS;
        let (apart, step, ahead) = match reading.way() {
            Some(Way::Apart) => (part, 1, Distance::of(reading).each(PARTS)),
            Some(Way::InOrder | Way::Near | Way::Staged) | None => {
                (part.min(1), PARTS, Distance::of(reading))
            }
        };
        let len = groups.len() - (PARTS - 1) * apart;
        let from = |start: usize| &groups[start..start + len];
        let parts = [from(0), from(apart), from(2 * apart), from(3 * apart)];
        InParts { parts, next: 0, step, ahead, reading }
    }

    #[inline(always)]
    fn group(&self, part: usize) -> Option<&'b G> {
        let group = self.parts[part].get(self.next)?;
        ask_ahead(group, self.ahead, self.reading);
        Some(group)
    }
}

impl<'b, G, R: Reading> Iterator for InParts<'b, G, R> {
    type Item = [&'b G; PARTS];

    #[inline(always)]
    fn next(&mut self) -> Option<[&'b G; PARTS]> {
        let groups = [self.group(0)?, self.group(1)?, self.group(2)?, self.group(3)?];
        self.next += self.step;
        Some(groups)
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

/// Rows of a group, of elements of so many bytes: those of a line of the cache, or one.
pub(super) const fn rows(bytes: usize) -> usize {
    if bytes * NARROW < LINE { LINE / (bytes * NARROW) } else { 1 }
}
