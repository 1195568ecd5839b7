//! One pass: items through the levels of one kernel, cut into batches that the cores share.

use super::HostError;
use super::worker::{Start, Worker};
use crate::Strided;
use rayon::prelude::*;
use reduce_dsl::func::{Func, FuncBuilder, Param};
use reduce_dsl::lanes::{Lanes, LanesRef};
use reduce_dsl::operation::{Argument, Operation};
use reduce_dsl::ops::TypeError;
use reduce_dsl::program::Level;
use reduce_dsl::{Scalar, Value};
use std::ops::Range;

/// What a pass reads, and how an element becomes, or joins, an accumulator.
pub(super) struct Source<'a> {
    inputs: Vec<Strided<LanesRef<'a>>>,
    indexed: bool,
    len: usize,
    /// Element (and position) → accumulator.
    pub(super) map: Func,
    /// Accumulator, element (and position, and step) → accumulator.
    pub(super) fold: Func,
    /// Does `fold` say more than `op` of the accumulator and the mapped element?
    pub(super) folds: bool,
    /// Does it take the step?
    pub(super) stepped: bool,
}

impl<'a> Source<'a> {
    /// The elements of the inputs.
    pub(super) fn elements(
        operation: &Operation,
        inputs: Vec<Strided<LanesRef<'a>>>,
        params: &[Value],
    ) -> Result<Source<'a>, TypeError> {
        let len = inputs.first().map_or(0, |input| input.len);
        let indexed = operation.is_indexed();
        let mut kept: Vec<_> = (0..inputs.len()).map(Argument::Input).collect();
        kept.extend(indexed.then_some(Argument::Index));
        let map = bound(operation, (&operation.map, &operation.map_arguments()), &kept, params)?;
        let Some((fold, arguments)) = operation.fold.as_ref().zip(operation.fold_arguments()) else {
            let fold = combined(operation, &map)?;
            return Ok(Source { inputs, indexed, len, map, fold, folds: false, stepped: false });
        };
        let stepped = arguments.contains(&Argument::Step);
        let accs = (0..operation.acc.fields.len()).map(Argument::Acc);
        let kept: Vec<_> = accs.chain(kept).chain(stepped.then_some(Argument::Step)).collect();
        let fold = bound(operation, (fold, &arguments), &kept, params)?;
        Ok(Source { inputs, indexed, len, map, fold, folds: true, stepped })
    }

    /// Accumulators, which are their own map.
    pub(super) fn partials(operation: &Operation, items: &'a [Lanes]) -> Result<Source<'a>, TypeError> {
        let itself = FuncBuilder::new(operation.acc.params("acc"));
        let results = itself.params();
        let map = itself.build(results);
        let fold = combined(operation, &map)?;
        let len = items.first().map_or(0, Lanes::len);
        let inputs = items.iter().map(|field| field.borrow().into()).collect();
        Ok(Source { inputs, indexed: false, len, map, fold, folds: false, stepped: false })
    }

    /// Memory for one row.
    pub(super) fn row_memory(&self) -> Row {
        let gathered = self.inputs.iter().map(|input| Lanes::empty(input.data.ty())).collect();
        Row { gathered, positions: Vec::new() }
    }

    /// The elements at those positions, and the positions if they are asked for.
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

    /// As many lanes that have folded `step` elements, if `fold` asks for that.
    pub(super) fn steps<'s>(
        &self,
        step: usize,
        len: usize,
        memory: &'s mut Vec<u64>,
    ) -> Option<LanesRef<'s>> {
        if self.stepped {
            memory.clear();
            memory.resize(len, step as u64);
        }
        self.stepped.then_some(LanesRef::U64(memory))
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

/// A function of the operation on what is `kept` of its arguments. Its params are known.
fn bound(
    operation: &Operation,
    (func, arguments): (&Func, &[Argument]),
    kept: &[Argument],
    params: &[Value],
) -> Result<Func, TypeError> {
    let mut f =
        FuncBuilder::new(kept.iter().map(|&it| Param::new("", operation.argument_type(it))).collect());
    let mut given = Vec::new();
    for &argument in arguments {
        // What is missing shows in the call.
        given.extend(match argument {
            Argument::Param(param) => params.get(param).map(|&value| f.constant(value)),
            Argument::Acc(_) | Argument::Input(_) | Argument::Index | Argument::Step | Argument::Count => {
                kept.iter().position(|&it| it == argument).map(|at| f.params()[at])
            }
        });
    }
    let results = f.call(func, &given)?;
    Ok(f.build(results))
}

/// `op(acc, map(element))`.
fn combined(operation: &Operation, map: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new([operation.acc.params("acc"), map.params().to_vec()].concat());
    let params = f.params();
    let (acc, element) = params.split_at(operation.acc.fields.len());
    let mapped = f.call(map, element)?;
    let results = f.call(&operation.combine, &[acc, &mapped].concat())?;
    Ok(f.build(results))
}

/// The items that `levels` leave of the source, one vector of lanes for each field of the accumulator.
pub(super) fn run(source: &Source<'_>, combine: &Func, levels: &[Level]) -> Result<Vec<Lanes>, HostError> {
    let len = batch(source, levels);
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
fn batch(source: &Source<'_>, levels: &[Level]) -> usize {
    let tile = tile(levels);
    let kept = match Start::of(source, levels).0 {
        Start::Rows(fold) => tile / fold.group(),
        Start::Gathered(_) | Start::Mapped => tile,
    };
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
