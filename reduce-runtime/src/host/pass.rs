//! One pass: items through the levels of one kernel, cut into batches that the cores share.

use super::HostError;
use super::source::Source;
use super::stage::Stage;
use super::start::Start;
use super::threads;
use reduce_ir::Scalar;
use reduce_ir::program::{Level, Tree};
use reduce_lanes::{LaneError, Lanes};
use std::ops::Range;

/// Elements that become one item where the association does not show: many hide the cost of what is done at their ends, but
/// of few elements every core wants some, and what searches folds two such pieces.
pub(super) fn piece(len: usize) -> usize {
    (len >> 9).next_power_of_two().clamp(1 << 15, 1 << 17)
}

/// Lanes of a piece the rows of which join one after the other.
pub(super) const WIDE_LANES: u64 = 512;

/// How elements become pieces of that many lanes.
pub(super) fn wide(len: usize) -> [Level; 2] {
    pieces(len, WIDE_LANES)
}

fn pieces(len: usize, lanes: u64) -> [Level; 2] {
    let fold = Level { lanes, ..Level::every(piece(len) as u64, Tree::Serial) };
    [fold, Level::every(lanes, Tree::Halving)]
}

/// The items that `levels`, or others that give the same result, leave of the source, one vector of lanes for each field
/// of the accumulator.
pub(super) fn run(stage: &Stage, source: &Source<'_>, levels: &[Level]) -> Result<Vec<Lanes>, LaneError> {
    let free = stage.free_lanes.map(|lanes| pieces(source.len(), lanes));
    let levels = free.as_ref().map_or(levels, |free| &free[..]);
    let ranges = source.cut(batch(stage, source.len(), levels));
    run_on(stage, source, levels, ranges)
}

/// The items that `levels` leave of each of those ranges, in their order.
pub(super) fn run_on(
    stage: &Stage,
    source: &Source<'_>,
    levels: &[Level],
    ranges: Vec<Range<usize>>,
) -> Result<Vec<Lanes>, LaneError> {
    let start = Start::of(stage, levels);
    let bytes = source.bytes();
    let trial = &stage.trials[usize::from(bytes >= LARGER)];
    let run = |range: Range<usize>| {
        let len = range.len();
        let by = |way| stage.workers.with(|it| it.run(source, start, range, way));
        if bytes >= LARGE { trial.run(len, by) } else { by(trial.fastest()) }
    };
    if let [range] = &ranges[..] {
        return run(range.clone());
    }
    Ok(concat(&stage.types, &threads::map(ranges, run)?))
}

/// The one item that is left of `items`, which meet as `levels` say, as often as it takes.
pub(super) fn until_one(
    stage: &Stage,
    levels: &[Level],
    mut items: Vec<Lanes>,
) -> Result<Vec<Lanes>, HostError> {
    while let Some(left) = items.first().map(Lanes::len).filter(|&left| left > 1) {
        let fewer = run(stage, &Source::partials(&items), levels)?;
        if fewer.iter().any(|field| field.len() >= left) {
            return Err(HostError::Stuck { items: left });
        }
        items = fewer;
    }
    Ok(items)
}

fn concat(types: &[Scalar], parts: &[Vec<Lanes>]) -> Vec<Lanes> {
    let field = |(k, &ty): (usize, &Scalar)| {
        let mut all = Lanes::empty(ty);
        parts.iter().for_each(|part| all.extend(part[k].borrow()));
        all
    };
    types.iter().enumerate().map(field).collect()
}

/// Items that a batch keeps at once: enough to hide the cost of a call, few enough to stay in cache.
const ITEMS: u64 = 16384;

/// Elements of a batch that are worth another core.
const WORTH: u64 = 1 << 16;

/// Bytes from which it shows how memory is read.
const LARGE: usize = 8 << 20;

/// Bytes from which most caches do not hold them between two calls: another way may be the fastest then.
const LARGER: usize = 64 << 20;

/// Batches for each core, so that none waits long for the last.
const BATCHES: u64 = 16;

/// Elements of a batch: whole chunks of every level, as many as keep the cores busy.
fn batch(stage: &Stage, len: usize, levels: &[Level]) -> usize {
    let tile = tile(levels);
    let kept = match Start::of(stage, levels).0 {
        Start::Rows(fold) | Start::Shared(fold) => tile / fold.group(),
        Start::Summed(fold, how) => tile / (fold.group() * how.pairs() as u64),
        Start::Gathered(_) | Start::Mapped => tile,
    };
    // As many as one core would have; who has no more is not worth asking for others.
    let alone = len as u64 / BATCHES;
    let share = if alone > WORTH { alone / threads::count() as u64 } else { alone };
    let tiles = (share.max(WORTH) / tile).clamp(1, (ITEMS / kept.max(1)).max(1));
    usize::try_from(tile.saturating_mul(tiles)).unwrap_or(usize::MAX)
}

/// The fewest elements that are whole chunks of every level.
fn tile(levels: &[Level]) -> u64 {
    let grow = |(elements, items): (u64, u64), level: &Level| {
        let times = level.chunk / gcd(level.chunk, items);
        let chunks = items.saturating_mul(times) / level.chunk;
        (elements.saturating_mul(times), chunks.saturating_mul(level.lanes))
    };
    levels.iter().fold((1, 1), grow).0
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
