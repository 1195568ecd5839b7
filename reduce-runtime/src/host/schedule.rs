//! Decides how a pass runs: how elements become items, and how many elements a batch has.

use super::functions::Traits;
use super::source::{Order, Source};
use super::threads;
use reduce_ir::program::{Association, Level, Tree, Unit};
use reduce_lanes::{BLOCK, NARROW, Prefetch, SegmentSum, Summed};
use std::ops::Range;

/// How the elements of a batch become items.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    /// Every element is mapped and is an item.
    Map,
    /// Rows of a chunk are folded where they lie in memory.
    Rows(Rows),
    /// Whole chunks are summed where they lie in memory, with the first pairwise steps; an incomplete chunk goes by rows.
    Sum(Rows, Summed),
    /// Rows of many chunks are gathered and then folded, as one chunk has few lanes.
    Gather(Level),
    /// Rows whose units share lanes are deinterleaved and then folded.
    Deinterleave(Level),
}

/// How rows are folded where they lie in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) level: Level,
    /// Lanes that are folded to the end of their chunk before the next lanes.
    pub(super) width: usize,
    /// Rows that one call folds.
    pub(super) at_once: usize,
}

impl Rows {
    /// One call folds a whole chunk if there is nothing to evaluate, and otherwise as many rows as fill a strip.
    fn new(traits: &Traits, level: Level) -> Rows {
        let lanes = level.lanes as usize;
        let width = if traits.is_direct { lanes } else { traits.strip };
        let at_once = match traits.takes_rows {
            true if traits.is_direct => usize::MAX,
            true => (traits.strip / lanes).max(1),
            false => 1,
        };
        Rows { level, width, at_once }
    }
}

/// A loop that reads memory, as far as the fastest prefetch strategy depends on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct InPlace {
    pub(super) by: Reader,
    /// It converts elements to a wider type.
    pub(super) widens: bool,
    /// Elements of a chunk.
    pub(super) chunk: usize,
}

/// The loops that read memory. Strategies differ in each of them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reader {
    /// The loop for float sums.
    Sums,
    /// Rows whose lanes stay in registers.
    NarrowRows,
    /// Rows of more lanes.
    WideRows,
}

/// Lanes and chunk lengths from which a fold reads rows in place; batches of smaller chunks are mapped first.
const WIDE: Range<u64> = 128..8192;

/// How a pass runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule<'l> {
    pub(super) leaf: Leaf,
    /// The levels that the items of the leaf strategy go through.
    pub(super) levels: &'l [Level],
    /// All levels.
    all: &'l [Level],
}

impl<'l> Schedule<'l> {
    /// Decides which loop reads the elements:
    ///
    /// | first level | functions | leaf strategy |
    /// |---|---|---|
    /// | of units with several items | any | `Deinterleave` |
    /// | serial and striped, wide | a float sum | `Sum` |
    /// | serial and striped, wide | any other | `Rows` |
    /// | serial and striped, narrow | with a `fold` | `Gather` |
    /// | any other | any | `Map` |
    pub(super) fn new(traits: &Traits, levels: &'l [Level]) -> Schedule<'l> {
        let (leaf, rest) = match levels.split_first() {
            Some((&first, rest)) if first.unit != Unit::ONE => (Leaf::Deinterleave(first), rest),
            Some((&first, rest)) if is_serial(&first) => {
                match first.lanes >= WIDE.start || first.chunk >= WIDE.end {
                    true if traits.is_sum => Leaf::sum(traits, first, rest),
                    true => (Leaf::Rows(Rows::new(traits, first)), rest),
                    false if traits.has_fold => (Leaf::Gather(first), rest),
                    false => (Leaf::Map, levels),
                }
            }
            _ => (Leaf::Map, levels),
        };
        Schedule { leaf, levels: rest, all: levels }
    }

    /// How the leaf strategy reads memory, if it folds or sums elements where they lie and evaluates nothing before.
    pub(super) fn reads_in_place(&self, traits: &Traits) -> Option<InPlace> {
        let (rows, by) = match self.leaf {
            Leaf::Sum(rows, _) => (rows, Reader::Sums),
            Leaf::Rows(_) if !traits.is_direct => return None,
            Leaf::Rows(rows) if rows.level.lanes == NARROW as u64 => (rows, Reader::NarrowRows),
            Leaf::Rows(rows) => (rows, Reader::WideRows),
            Leaf::Map | Leaf::Gather(_) | Leaf::Deinterleave(_) => return None,
        };
        Some(InPlace { by, widens: traits.widens, chunk: rows.level.chunk as usize })
    }

    /// Elements per batch: whole chunks of every level, in as many batches as keep every core busy.
    pub(super) fn batch(&self, len: usize) -> usize {
        // Counting threads starts the thread pool, which small inputs do not need.
        let alone = len as u64 / BATCHES;
        let share = if alone > MIN_BATCH { alone / threads::count() as u64 } else { alone };
        let tile = Level::tile(self.all);
        let most = (MAX_ITEMS / self.leaf.items(tile).max(1)).max(1);
        let tiles = (share.max(MIN_BATCH) / tile).clamp(1, most);
        usize::try_from(tile.saturating_mul(tiles)).unwrap_or(usize::MAX)
    }
}

/// Whether lanes of single items are folded, one row after the other.
fn is_serial(level: &Level) -> bool {
    level.tree == Tree::Serial && !level.is_cut_in_runs() && level.unit == Unit::ONE
}

impl Leaf {
    /// Sums of whole chunks, if the loop knows their shape, and the levels after them.
    fn sum<'l>(traits: &Traits, first: Level, rest: &'l [Level]) -> (Leaf, &'l [Level]) {
        let [chunk, lanes] = [first.chunk, first.lanes].map(|it| it as usize);
        let rows = Rows::new(traits, first);
        let sum = |pairs| Summed::new(chunk, lanes, pairs).map(|how| Leaf::Sum(rows, how));
        if let [pairs, after @ ..] = rest
            && *pairs == Level::every(pairs.chunk, Tree::Pairs)
            && let Some(leaf) = sum(pairs.chunk as usize)
        {
            return (leaf, after);
        }
        (sum(1).unwrap_or(Leaf::Rows(rows)), rest)
    }

    /// Items that the leaf strategy keeps of so many elements, which are whole chunks.
    fn items(self, elements: u64) -> u64 {
        match self {
            Leaf::Rows(Rows { level, .. }) | Leaf::Deinterleave(level) => elements / level.group(),
            Leaf::Sum(Rows { level, .. }, how) => elements / (level.group() * how.pairs() as u64),
            Leaf::Gather(_) | Leaf::Map => elements,
        }
    }
}

/// Lanes of a piece whose rows are folded one after the other.
const WIDE_LANES: u64 = 512;

/// The levels that exact operations use in place of those of the program: every association gives the same bits, and these
/// read memory fastest. Operations that fold several rows at once have so few lanes that they stay in registers.
pub(super) fn own_levels(traits: &Traits, len: usize) -> Option<[Level; 2]> {
    let lanes = if traits.takes_rows { NARROW as u64 } else { WIDE_LANES };
    traits.is_exact.then(|| pieces(len, lanes))
}

/// The same for `groups` groups side by side, each of `len` elements. Many groups need no further lanes.
pub(super) fn own_levels_of_groups(traits: &Traits, len: usize, groups: usize) -> Option<[Level; 2]> {
    let lanes = (WIDE_LANES as usize / groups).next_power_of_two();
    traits.is_exact.then(|| pieces(len, lanes as u64))
}

/// The level of as many groups side by side: item i of group g is at `i * groups + g`.
pub(super) fn side_by_side(level: Level, groups: usize) -> Level {
    let times = |items: u64| items.saturating_mul(groups as u64);
    let unit = match level.unit {
        Unit::ONE => Unit::ONE,
        unit => Unit { width: times(unit.width), lanes: times(unit.lanes) },
    };
    Level { chunk: times(level.chunk), lanes: times(level.lanes), unit, ..level }
}

/// How groups are prefetched. Several streams in a short group would be too short themselves.
pub(super) fn prefetch_of_groups(source: &Source<'_>) -> Prefetch {
    match source.order() {
        Order::InTurn { len } if len < SHORT => Prefetch::Sequential,
        Order::InTurn { .. } | Order::SideBySide { .. } => Prefetch::MultiStream,
    }
}

/// Elements below which a group is short.
const SHORT: usize = 1 << 14;

/// A loop over the columns of a matrix, each of which is a group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Columns<'l> {
    /// The loop for float sums, and the levels after it.
    Sum(Summed, &'l [Level]),
    /// Row after row, until one item of each group is left.
    Rows,
}

impl<'l> Columns<'l> {
    /// The loop for these functions, if there is one.
    pub(super) fn new(traits: &Traits, levels: &'l [Level]) -> Option<Columns<'l>> {
        if !traits.takes_inputs {
            return None;
        }
        if traits.is_exact && traits.is_plain {
            return Some(Columns::Rows);
        }
        let (&first, rest) = levels.split_first().filter(|(first, _)| is_serial(first) && traits.is_sum)?;
        match Leaf::sum(traits, first, rest) {
            (Leaf::Sum(_, how), rest) => Some(Columns::Sum(how, rest)),
            _ => None,
        }
    }
}

/// The loop for sums of rows of `len` elements, each in a lane of its own, and the levels after it, if there is one.
pub(super) fn short_rows<'l>(
    traits: &Traits,
    levels: &'l [Level],
    len: usize,
) -> Option<(Summed, &'l [Level])> {
    match Columns::new(traits, levels)? {
        Columns::Sum(how, rest) => (len as u64 <= levels[0].lanes).then_some((how, rest)),
        Columns::Rows => None,
    }
}

/// How segments are summed where they lie, by ascending length, as far as there are loops. Each association is that of up to some elements,
/// and an element has so many bytes.
pub(super) fn segment_sums(
    traits: &Traits,
    associations: &[(u64, &Association)],
    bytes: usize,
) -> Vec<SegmentSum> {
    let mut sums = Vec::new();
    for &(most, association) in associations.iter().filter(|_| traits.sums_segments) {
        let Some(sum) = segment_sum(traits, (most, association), bytes) else { break };
        sums.push(sum);
        if (sum.most() as u64) < most {
            break;
        }
    }
    sums
}

/// How segments of up to so many elements are summed where they lie, or fewer, if there is a loop.
fn segment_sum(
    traits: &Traits,
    (most, association): (u64, &Association),
    bytes: usize,
) -> Option<SegmentSum> {
    let (&first, rest) = association.first.split_first().filter(|(first, _)| is_serial(first))?;
    let (Leaf::Sum(_, how), rest) = Leaf::sum(traits, first, rest) else { return None };
    let (again, after) = association.again.split_first().filter(|(again, _)| is_serial(again))?;
    // A chunk leaves one item, and each of these has a lane.
    let chunks = again.lanes.min(again.chunk).min(halved(after)?);
    let leaves_one = halved(rest)? * how.pairs() as u64 == first.lanes;
    let most = most.min(first.chunk.saturating_mul(chunks)).min(SUMMED);
    SegmentSum::new(most as usize, how, bytes).filter(|_| leaves_one && how.has_few_rows())
}

/// The items of which levels leave one: a block is combined by halves, and then a block of what is left.
fn halved(levels: &[Level]) -> Option<u64> {
    let halving = |level: &Level| *level == Level::every(level.chunk, Tree::Halving);
    let is_known =
        levels.iter().all(halving) && levels.first().is_some_and(|level| level.chunk == BLOCK as u64);
    match levels {
        [first] if is_known => Some(first.chunk),
        [first, second] if is_known && second.chunk <= BLOCK as u64 => Some(first.chunk * second.chunk),
        _ => None,
    }
}

/// The most elements of a segment that is summed with others by one call. Longer ones keep all cores busy.
const SUMMED: u64 = 1 << 17;

/// The fewest elements of a group that is folded where it lies. Groups of fewer elements are folded side by side.
pub(super) fn least_in_turn(traits: &Traits, levels: &[Level]) -> u64 {
    match own_levels(traits, 0).as_ref().map_or(levels, |own| own).first() {
        Some(first) if first.tree == Tree::Serial && first.lanes >= NARROW as u64 => first.lanes,
        _ => u64::MAX,
    }
}

/// The levels that exact operations use in place of those that make one item of every `chunk` elements.
pub(super) fn own_levels_of_chunks(traits: &Traits, chunk: u64) -> Option<[Level; 2]> {
    let most = if traits.takes_rows { NARROW as u64 } else { WIDE_LANES };
    let lanes = most.min(1 << chunk.trailing_zeros());
    let fold = Level { lanes, ..Level::every(chunk, Tree::Serial) };
    traits.is_exact.then_some([fold, Level::every(lanes, Tree::Halving)])
}

/// Levels that leave one item per piece.
pub(super) fn wide(len: usize) -> [Level; 2] {
    pieces(len, WIDE_LANES)
}

fn pieces(len: usize, lanes: u64) -> [Level; 2] {
    let fold = Level { lanes, ..Level::every(piece(len) as u64, Tree::Serial) };
    [fold, Level::every(lanes, Tree::Halving)]
}

/// Elements of a piece: enough to amortise its ends, few enough that every core has some.
pub(super) fn piece(len: usize) -> usize {
    (len >> 9).next_power_of_two().clamp(1 << 15, 1 << 17)
}

/// Items that a batch keeps at most, so that they stay in cache.
const MAX_ITEMS: u64 = 16384;

/// Minimum batch size per core, in elements.
pub(super) const MIN_BATCH: u64 = 1 << 16;

/// Batches per core, so that no core waits long for the last one.
const BATCHES: u64 = 16;
