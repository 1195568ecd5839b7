//! Runs a pass: items through the levels of one kernel, in batches that the cores share.

use super::error::HostError;
use super::functions::{CompiledFunctions, Traits};
use super::isa::Isa;
use super::pool::Pool;
use super::probe;
use super::schedule::{self, Columns, Schedule};
use super::source::{Numbers, Order, Source};
use super::threads;
use super::worker::Worker;
use reduce_ir::Scalar;
use reduce_ir::program::Level;
use reduce_lanes::{BLOCK, LaneError, Lanes, Prefetch, SegmentSum, Summed};
use std::ops::Range;

/// The compiled functions of a pass, and a worker for each thread that ran it.
#[derive(Debug)]
pub(super) struct Pass {
    functions: CompiledFunctions,
    workers: Pool<Worker>,
    /// A fixed prefetch strategy; `None` probes.
    prefetch: Option<Prefetch>,
}

impl Pass {
    /// A pass of these functions, which were compiled for that instruction set.
    pub(super) fn new(isa: Isa, functions: CompiledFunctions) -> Pass {
        Pass { workers: Pool::of(Worker::new(&functions)), functions, prefetch: isa.prefetch }
    }

    /// Returns the items that `levels` leave of the source, one vector of lanes for each field. Exact operations go through
    /// levels of their own, which give the same result.
    pub(super) fn run(&self, source: &Source<'_>, levels: &[Level]) -> Result<Vec<Lanes>, LaneError> {
        let own = schedule::own_levels(&self.functions.traits, source.len());
        self.run_all(source, own.as_ref().map_or(levels, |own| own))
    }

    /// Returns the items that `levels` leave of the source: one of every `chunk` elements.
    pub(super) fn run_chunks(
        &self,
        source: &Source<'_>,
        levels: &[Level],
        chunk: u64,
    ) -> Result<Vec<Lanes>, LaneError> {
        let own = schedule::own_levels_of_chunks(&self.functions.traits, chunk);
        self.run_all(source, own.as_ref().map_or(levels, |own| own))
    }

    fn run_all(&self, source: &Source<'_>, levels: &[Level]) -> Result<Vec<Lanes>, LaneError> {
        let schedule = Schedule::new(&self.functions.traits, levels);
        let ranges = source.cut(schedule.batch(source.len()));
        self.run_batches(source, schedule, ranges)
    }

    /// Returns the items that `levels` leave of each range, in the order of the ranges.
    pub(super) fn run_on(
        &self,
        source: &Source<'_>,
        levels: &[Level],
        ranges: Vec<Range<usize>>,
    ) -> Result<Vec<Lanes>, LaneError> {
        self.run_batches(source, Schedule::new(&self.functions.traits, levels), ranges)
    }

    fn run_batches(
        &self,
        source: &Source<'_>,
        schedule: Schedule<'_>,
        ranges: Vec<Range<usize>>,
    ) -> Result<Vec<Lanes>, LaneError> {
        let prefetch = self.prefetch(source, schedule);
        let run = |range| self.workers.with(|it| it.run(source, schedule, range, prefetch));
        if let [range] = &ranges[..] {
            return run(range.clone());
        }
        Ok(self.concat(&threads::map(ranges, run)?))
    }

    /// The fixed strategy, or the fastest one for the loop that reads the source.
    fn prefetch(&self, source: &Source<'_>, schedule: Schedule<'_>) -> Prefetch {
        match (self.prefetch, schedule.reads_in_place(&self.functions.traits)) {
            (Some(fixed), _) => fixed,
            (None, None) => Prefetch::MultiStream,
            (None, Some(reads)) => probe::fastest(reads, source, |prefetch, range| {
                // The batches of the pass meet the same errors.
                let _ = self.workers.with(|it| it.run(source, schedule, range, prefetch));
            }),
        }
    }

    /// Returns the items that `levels` leave of each group of the source, side by side. It runs on this thread.
    pub(super) fn run_groups(&self, source: &Source<'_>, levels: &[Level]) -> Result<Vec<Lanes>, LaneError> {
        let traits = &self.functions.traits;
        let prefetch = self.prefetch.unwrap_or(schedule::prefetch_of_groups(source));
        match source.order() {
            Order::InTurn { len } => {
                if let Some(how) = self.short_rows(source, levels, len) {
                    return self.workers.with(|it| it.run_short_rows(source, how, len));
                }
                let own = schedule::own_levels(traits, len);
                let schedule = Schedule::new(traits, own.as_ref().map_or(levels, |own| own));
                self.workers.with(|it| it.run_in_turn(source, schedule, len, prefetch))
            }
            Order::SideBySide { groups, .. } => {
                if let Some((pitch, columns)) = source.pitch().zip(Columns::new(traits, levels)) {
                    return self.workers.with(|it| it.run_columns(source, columns, pitch));
                }
                let own = schedule::own_levels_of_groups(traits, source.len() / groups, groups);
                let levels = own.as_ref().map_or(levels, |own| own);
                let levels: Vec<_> =
                    levels.iter().map(|&level| schedule::side_by_side(level, groups)).collect();
                let schedule = Schedule::new(traits, &levels);
                self.workers.with(|it| it.run(source, schedule, 0..source.len(), prefetch))
            }
        }
    }

    /// Returns the sums of the segments between offsets of the source. There is at least one kind of sums. It runs on this thread.
    pub(super) fn sum_segments(
        &self,
        source: &Source<'_>,
        offsets: &[usize],
        sums: &[SegmentSum],
    ) -> Result<Vec<Lanes>, LaneError> {
        self.workers.with(|it| it.sum_segments(source, offsets, sums))
    }

    /// The loop for short rows and the levels after it, if there is one.
    fn short_rows<'l>(
        &self,
        source: &Source<'_>,
        levels: &'l [Level],
        len: usize,
    ) -> Option<(Summed, &'l [Level])> {
        let how = schedule::short_rows(&self.functions.traits, levels, len)?;
        (source.is_contiguous() && source.len() / len >= BLOCK).then_some(how)
    }

    /// Repeats the pass over the partials of groups, side by side, until one item of each is left.
    pub(super) fn until_one_each(
        &self,
        levels: &[Level],
        mut items: Vec<Lanes>,
        groups: usize,
    ) -> Result<Vec<Lanes>, HostError> {
        while let Some(left) = items.first().map(Lanes::len).filter(|&left| left > groups) {
            let source =
                Source::partials(&items).of_groups(Order::SideBySide { first: 0, groups }, Numbers::ALL);
            let fewer = self.run_groups(&source, levels)?;
            if fewer.iter().any(|field| field.len() >= left) {
                return Err(HostError::Stuck { items: left });
            }
            items = fewer;
        }
        Ok(items)
    }

    /// The traits of the functions.
    pub(super) fn traits(&self) -> &Traits {
        &self.functions.traits
    }

    /// Repeats the pass over partials until one item is left.
    pub(super) fn until_one(&self, levels: &[Level], mut items: Vec<Lanes>) -> Result<Vec<Lanes>, HostError> {
        while let Some(left) = items.first().map(Lanes::len).filter(|&left| left > 1) {
            let fewer = self.run(&Source::partials(&items), levels)?;
            if fewer.iter().any(|field| field.len() >= left) {
                return Err(HostError::Stuck { items: left });
            }
            items = fewer;
        }
        Ok(items)
    }

    /// Returns the items of all parts, in their order.
    pub(super) fn concat(&self, parts: &[Vec<Lanes>]) -> Vec<Lanes> {
        let field = |(k, &ty): (usize, &Scalar)| {
            let mut all = Lanes::empty(ty);
            parts.iter().for_each(|part| all.extend(part[k].borrow()));
            all
        };
        self.functions.fields.iter().enumerate().map(field).collect()
    }
}
