//! One pass: items through the levels of one kernel, cut into batches that the cores share.

use super::source::Source;
use super::worker::{Start, Worker};
use super::{HostError, Isa};
use rayon::prelude::*;
use reduce_dsl::Scalar;
use reduce_dsl::func::Func;
use reduce_dsl::lanes::Lanes;
use reduce_dsl::program::Level;

/// The items that `levels` leave of the source, one vector of lanes for each field of the accumulator.
pub(super) fn run(
    isa: Isa,
    source: &Source<'_>,
    combine: &Func,
    levels: &[Level],
) -> Result<Vec<Lanes>, HostError> {
    let len = batch(source, levels);
    let range = |i: usize| i * len..(i * len).saturating_add(len).min(source.len());
    let worker = || Worker::new(isa, source, combine, levels);
    let batches = source.len().div_ceil(len);
    if batches <= 1 {
        return Ok(worker().run(range(0))?);
    }
    let parts: Result<Vec<_>, _> =
        (0..batches).into_par_iter().map_init(worker, |worker, i| worker.run(range(i))).collect();
    Ok(concat(&source.map.result_types(), &parts?))
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

/// Batches for each core, so that none waits long for the last.
const BATCHES: u64 = 4;

/// Elements of a batch: whole chunks of every level, as many as keep the cores busy.
fn batch(source: &Source<'_>, levels: &[Level]) -> usize {
    let tile = tile(levels);
    let kept = match Start::of(source, levels).0 {
        Start::Rows(fold) => tile / fold.group(),
        Start::Gathered(_) | Start::Mapped => tile,
    };
    let share = source.len() as u64 / (BATCHES * rayon::current_num_threads() as u64);
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
