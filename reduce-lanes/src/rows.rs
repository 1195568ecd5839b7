//! Joins rows of elements to lanes, and prefetches the rows that follow.
//!
//! Few lanes stay in registers while row after row joins them. If every order gives the same bits, rows are read in memory
//! order or from several streams in turn: some hardware prefetchers are faster on several streams. docs/decisions.md has the
//! figures.

use reduce_ir::arith::join_rows;

/// A strategy for reading memory. The fastest one differs between processors; the bits are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// Several streams, read one cache line each in turn, and prefetched into the L1 cache 8 KiB ahead.
    MultiStream,
    /// One stream, prefetched into the L1 cache 8 KiB ahead.
    Sequential,
    /// One stream, prefetched by a non-temporal hint 256 bytes ahead.
    NonTemporal,
    /// One stream, prefetched into the L2 cache 7 KiB ahead.
    L2,
}

impl Prefetch {
    /// Every strategy.
    pub const ALL: [Prefetch; 4] =
        [Prefetch::MultiStream, Prefetch::Sequential, Prefetch::NonTemporal, Prefetch::L2];
}

/// The prefetch instructions of one strategy.
pub trait Prefetcher: Copy {
    /// Whether it loads elements ahead of their use. Such strategies read one stream.
    const TOUCHES: bool = false;

    /// The strategy; `None` for elements that are in a cache already.
    fn strategy(self) -> Option<Prefetch>;

    /// Prefetches one cache line. Every instruction set inlines it, so it uses baseline instructions only.
    fn prefetch(self, at: *const i8);

    /// Prefetches one cache line into the L2 cache, where the strategy does so.
    #[inline(always)]
    fn prefetch_l2(self, _at: *const i8) {}

    /// Loads a byte of every line of the `k`-th group, which is used next, where the strategy does so.
    #[inline(always)]
    fn touch<G>(self, _groups: &[G], _k: usize) {}
}

/// Issues no prefetch instructions.
impl Prefetcher for Option<Prefetch> {
    #[inline(always)]
    fn strategy(self) -> Option<Prefetch> {
        self
    }

    #[inline(always)]
    fn prefetch(self, _: *const i8) {}
}

/// Bytes in flight over all streams: enough to keep the memory of a core busy, and a quarter of a small L1 cache.
const L1_AHEAD: usize = 8192;

/// Bytes ahead for processors whose hardware prefetcher keeps memory busy and is only late.
const NON_TEMPORAL_AHEAD: usize = 256;

/// Bytes ahead into the L2 cache.
const L2_AHEAD: usize = 7168;

/// How many bytes ahead lines are prefetched into the L1 and the L2 cache. Distance 0 prefetches the line that is read, which
/// costs less than a branch.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    l1: usize,
    l2: usize,
}

impl Distance {
    /// The distance over all streams together.
    #[inline(always)]
    pub(super) fn of(prefetcher: impl Prefetcher) -> Distance {
        match prefetcher.strategy() {
            Some(Prefetch::MultiStream | Prefetch::Sequential) => Distance { l1: L1_AHEAD, l2: 0 },
            Some(Prefetch::NonTemporal) => Distance { l1: NON_TEMPORAL_AHEAD, l2: 0 },
            Some(Prefetch::L2) => Distance { l1: 0, l2: L2_AHEAD },
            None => Distance { l1: 0, l2: 0 },
        }
    }

    /// The distance in each of `streams` streams.
    #[inline(always)]
    pub(super) fn each(self, streams: usize) -> Distance {
        Distance { l1: self.l1 / streams, l2: self.l2 / streams }
    }
}

/// Streams that rows are read from in turn (an even number), each by load instructions of its own: some hardware prefetchers track streams by
/// the address of the instruction.
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
    prefetcher: impl Prefetcher,
) {
    if let [acc] = acc {
        *acc = b.iter().fold(*acc, |acc, &b| f(acc, b));
        return;
    }
    for row in b.chunks(acc.len().max(1)) {
        join_row(acc, row, f, prefetcher);
    }
}

/// [`join`] by what gives the same in any order.
#[inline(always)]
pub(super) fn join_in_parts<T: Copy, B: Copy>(
    acc: &mut [T],
    b: &[B],
    f: impl Fn(T, B) -> T + Copy,
    prefetcher: impl Prefetcher,
) {
    // A type is no constant yet.
    let rest = match size_of::<B>() {
        1 => join_groups::<_, _, { rows(1) }>(acc, b, f, prefetcher),
        2 => join_groups::<_, _, { rows(2) }>(acc, b, f, prefetcher),
        _ => join_groups::<_, _, { rows(4) }>(acc, b, f, prefetcher),
    };
    join(acc, rest, f, prefetcher);
}

/// As many whole groups as make equal parts join `acc`, if that stays in registers. What is left.
#[inline(always)]
fn join_groups<'b, T: Copy, B: Copy, const ROWS: usize>(
    acc: &mut [T],
    b: &'b [B],
    f: impl Fn(T, B) -> T,
    prefetcher: impl Prefetcher,
) -> &'b [B] {
    let (groups, rest) = grouped::<_, _, ROWS>(acc, b);
    if let Ok(lanes) = <&mut [_; _]>::try_from(&mut acc[..]) {
        join_rows(lanes, InParts::new(groups, prefetcher), f);
    }
    rest
}

/// `acc[i] = f(acc[i], row[i])`, where there is a `row[i]`.
#[inline(always)]
fn join_row<T: Copy, B: Copy>(
    acc: &mut [T],
    row: &[B],
    f: impl Fn(T, B) -> T + Copy,
    prefetcher: impl Prefetcher,
) {
    let (blocks, rest) = row.as_chunks::<BLOCK>();
    let (lanes, last) = acc[..row.len()].as_chunks_mut::<BLOCK>();
    let ahead = Distance::of(prefetcher);
    for (lanes, block) in lanes.iter_mut().zip(blocks) {
        prefetch_ahead(block, ahead, prefetcher);
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

/// Prefetches as many lines as a group has, ahead of it, in memory order; compilers reorder plain loops.
#[inline(always)]
pub(super) fn prefetch_ahead<G>(group: &G, ahead: Distance, prefetcher: impl Prefetcher) {
    let here = (&raw const *group).cast::<i8>();
    for line in (0..size_of::<G>()).step_by(LINE) {
        prefetcher.prefetch(here.wrapping_add(ahead.l1 + line));
        prefetcher.prefetch_l2(here.wrapping_add(ahead.l2 + line));
    }
}

/// Groups of rows, some at once: the first one of every part, then the second ones, …; or all in order.
///
/// No iterator of the standard library's: what is not inlined is compiled for every processor, and closures cannot be forced inline.
pub(super) struct InParts<'b, G, R> {
    /// Where those at once lie, with all that may follow: as many groups each, so that one bound holds for all.
    parts: [&'b [G]; PARTS],
    next: usize,
    /// From one to the next of its part.
    step: usize,
    ahead: Distance,
    prefetcher: R,
}

impl<'b, G, R: Prefetcher> InParts<'b, G, R> {
    /// Those of `groups`, which make equal parts.
    #[inline(always)]
    pub(super) fn new(groups: &'b [G], prefetcher: R) -> InParts<'b, G, R> {
        let part = groups.len() / PARTS;
        let (apart, step, ahead) = match prefetcher.strategy() {
            Some(Prefetch::MultiStream) => (part, 1, Distance::of(prefetcher).each(PARTS)),
            Some(Prefetch::Sequential | Prefetch::NonTemporal | Prefetch::L2) | None => {
                (part.min(1), PARTS, Distance::of(prefetcher))
            }
        };
        let len = groups.len() - (PARTS - 1) * apart;
        let from = |start: usize| &groups[start..start + len];
        let parts = [from(0), from(apart), from(2 * apart), from(3 * apart)];
        InParts { parts, next: 0, step, ahead, prefetcher }
    }

    #[inline(always)]
    fn group(&self, part: usize) -> Option<&'b G> {
        let group = self.parts[part].get(self.next)?;
        prefetch_ahead(group, self.ahead, self.prefetcher);
        Some(group)
    }
}

impl<'b, G, R: Prefetcher> Iterator for InParts<'b, G, R> {
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
