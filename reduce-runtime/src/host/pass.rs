//! One pass: items through the levels of one kernel, cut into batches that the cores share.

use super::HostError;
use super::worker::{Worker, split_fold};
use crate::Strided;
use rayon::prelude::*;
use reduce_dsl::Scalar;
use reduce_dsl::func::{Func, FuncBuilder};
use reduce_dsl::lanes::{Lanes, LanesRef};
use reduce_dsl::operation::Operation;
use reduce_dsl::ops::TypeError;
use reduce_dsl::program::Level;
use std::ops::Range;

/// What a pass reads, and how an element becomes, or joins, an accumulator.
pub(super) struct Source<'a> {
    inputs: Vec<Strided<LanesRef<'a>>>,
    indexed: bool,
    len: usize,
    /// Element (and position) → accumulator.
    pub(super) map: Func,
    /// Accumulator, element (and position) → accumulator.
    pub(super) fold: Func,
}

impl<'a> Source<'a> {
    /// The elements of the inputs.
    pub(super) fn elements(
        operation: &Operation,
        inputs: Vec<Strided<LanesRef<'a>>>,
    ) -> Result<Source<'a>, HostError> {
        Source::new(operation, inputs, operation.map.clone(), operation.is_indexed())
    }

    /// Accumulators, which are their own map.
    pub(super) fn partials(operation: &Operation, items: &'a [Lanes]) -> Result<Source<'a>, HostError> {
        let itself = FuncBuilder::new(operation.acc.params("acc"));
        let results = itself.params();
        let items = items.iter().map(|field| field.borrow().into()).collect();
        Source::new(operation, items, itself.build(results), false)
    }

    fn new(
        operation: &Operation,
        inputs: Vec<Strided<LanesRef<'a>>>,
        map: Func,
        indexed: bool,
    ) -> Result<Source<'a>, HostError> {
        let fold = fold(operation, &map)
            .map_err(|source| HostError::Types { operator: operation.name.clone(), source })?;
        let len = inputs.first().map_or(0, |input| input.len);
        Ok(Source { inputs, indexed, len, map, fold })
    }

    /// Memory for one row.
    pub(super) fn row_memory(&self) -> Row {
        let gathered = self.inputs.iter().map(|input| Lanes::empty(input.data.ty())).collect();
        Row { gathered, positions: Vec::new() }
    }

    /// The elements at those positions.
    pub(super) fn row<'s>(
        &'s self,
        range: Range<usize>,
        row: &'s mut Row,
    ) -> impl Iterator<Item = LanesRef<'s>> {
        if self.indexed {
            row.positions.clear();
            row.positions.extend(range.start as u64..range.end as u64);
        }
        let index = self.indexed.then_some(LanesRef::U64(&row.positions));
        let inputs = self.inputs.iter().zip(&mut row.gathered);
        inputs.map(move |(input, gathered)| elements(input, range.clone(), gathered)).chain(index)
    }
}

/// What a row does not find in memory as it is needed.
pub(super) struct Row {
    /// For each input, its elements side by side, where they lie apart.
    gathered: Vec<Lanes>,
    /// The positions, where the map takes them.
    positions: Vec<u64>,
}

/// The elements of an input at those positions, side by side.
fn elements<'s>(input: &Strided<LanesRef<'s>>, range: Range<usize>, gathered: &'s mut Lanes) -> LanesRef<'s> {
    let data = input.data.slice(input.places(range));
    if input.step == 1 {
        return data;
    }
    gathered.gather(data, 0, 1, input.step);
    gathered.borrow()
}

/// `op(acc, map(element))`.
fn fold(operation: &Operation, map: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new([operation.acc.params("acc"), map.params().to_vec()].concat());
    let params = f.params();
    let (acc, element) = params.split_at(operation.acc.fields.len());
    let mapped = f.call(map, element)?;
    let results = f.call(&operation.combine, &[acc, &mapped].concat())?;
    Ok(f.build(results))
}

/// The items that `levels` leave of the source, one vector of lanes for each field of the accumulator.
pub(super) fn run(source: &Source<'_>, combine: &Func, levels: &[Level]) -> Result<Vec<Lanes>, HostError> {
    let len = batch(levels);
    let range = |i: usize| i * len..(i * len).saturating_add(len).min(source.len);
    let worker = || Worker::new(source, combine, levels);
    let batches = source.len.div_ceil(len);
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

/// Elements of a batch: whole chunks of every level.
fn batch(levels: &[Level]) -> usize {
    let tile = tile(levels);
    let kept = split_fold(levels).0.map_or(tile, |fold| tile / fold.group());
    usize::try_from(tile.saturating_mul((ITEMS / kept.max(1)).max(1))).unwrap_or(usize::MAX)
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
