//! Groups: one reduction for each, with the bits that its elements have alone.
//!
//! Three layouts cover all shapes. Short groups are reduced side by side: item i of group g is lane `i * groups + g`, so that one
//! loop combines the items of all groups. Longer groups whose elements are neighbours are folded in turn, where they lie. A group
//! that keeps all cores busy is reduced alone.

use super::collect::Inputs;
use super::error::HostError;
use super::finish::Shared;
use super::plan::Plan;
use super::schedule::{Columns, least_in_turn, short_rows};
use super::source::pieces;
use super::threads;
use crate::{View, inputs, view};
use reduce_ir::axes::{Dim, Nest};
use reduce_ir::func::Param;
use reduce_ir::program::{Association, Level};
use reduce_ir::{Extent, Value};
use reduce_lanes::{BLOCK, Lanes, LanesRef};
use std::ops::Range;

/// Elements that are reduced at once, so that they and their items stay in the L2 cache.
const BATCH: usize = 1 << 16;

/// The same for columns that are reduced where they lie: a few long rows are read fastest, and leave few items.
const WIDE_BATCH: usize = 1 << 20;

/// The most groups of a batch.
const MOST_GROUPS: usize = 4096;

/// The fewest groups of a batch whose elements lie side by side: they fill some lines of the cache.
const FEWEST_GROUPS: usize = 64;

/// Elements from which a few groups are reduced alone, each by all cores.
const LONG: u64 = 1 << 17;

/// Groups per core that keep it busy until the others are done.
const ENOUGH: u64 = 2;

/// Operations from which several cores are faster: a sleeping thread wakes up after some 100 microseconds.
const SHARED_WORK: u64 = 1 << 21;

/// Shares of the groups per core, so that no core waits long for the last one.
pub(super) const SHARES: usize = 4;

/// How the elements of groups are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Alone,
    InTurn,
    SideBySide,
    /// One group after the other, each in ranges: copying all of its elements would take too much memory.
    InRanges,
}

/// The reduction of groups of one length.
pub(super) struct Call<'a> {
    plan: &'a Plan,
    association: &'a Association,
    inputs: Inputs<'a>,
    shared: Shared,
    groups: usize,
    /// The elements of each group that are reduced: all of them, or a chunk.
    elements: Range<usize>,
    layout: Layout,
    /// One loop reduces columns where they lie.
    has_columns: bool,
    /// One loop reduces rows where they lie.
    has_short_rows: bool,
}

impl Plan {
    /// Reduces each group of a merged nest of at least one group with at least one element, as `association` says. Returns one
    /// vector for each field of the stored output. The inputs lie in their data; types are those of the operation. `params` are
    /// all params of the operation, as [`Nest::params`] returns them.
    ///
    /// # Errors
    /// Inputs or params that differ from the above.
    pub fn reduce_groups(
        &self,
        association: &Association,
        views: &[View<LanesRef<'_>>],
        nest: &Nest,
        params: &[Value],
    ) -> Result<Vec<Lanes>, HostError> {
        if !self.takes_views(views, params) {
            return Err(HostError::Given { operator: self.operation.name.clone() });
        }
        let inputs = Inputs { views, nest, params, first: 0, segments: None };
        Call::new(self, association, inputs, nest.extent()).run()
    }

    /// Returns whether views and params are those of the operation, and views lie in their data.
    pub(super) fn takes_views(&self, views: &[View<LanesRef<'_>>], params: &[Value]) -> bool {
        let takes = |(param, input): (&Param, &View<LanesRef<'_>>)| {
            let data = (input.data.ty(), input.data.len());
            inputs::check_type(param, data.0).is_ok()
                && view::check(&param.name, &input.with_data(data)).is_ok()
        };
        self.operation.inputs.len() == views.len()
            && self.operation.inputs.iter().zip(views).all(takes)
            && inputs::check_values(&self.operation.params, params).is_ok()
    }

    fn layout(&self, association: &Association, nest: &Nest, extent: Extent) -> Layout {
        let has_neighbours = has_neighbours(nest);
        match nest.reduced.len() {
            0 | 1 if extent.groups == 1 => Layout::Alone,
            1 if has_neighbours
                && extent.length >= LONG
                && extent.groups < ENOUGH * threads::count() as u64 =>
            {
                Layout::Alone
            }
            _ if has_neighbours
                && extent.length >= least_in_turn(self.elements.traits(), &association.first) =>
            {
                let is_copied = extent.length > WIDE_BATCH as u64 && !lies_in_place(nest);
                if is_copied { Layout::InRanges } else { Layout::InTurn }
            }
            _ => Layout::SideBySide,
        }
    }
}

/// Returns whether the elements of a group are nearer to each other than to those of the next group.
pub(super) fn has_neighbours(nest: &Nest) -> bool {
    is_nearer(nest.reduced.last(), nest.kept.last())
}

/// Returns whether the elements of a group are read where they lie.
fn lies_in_place(nest: &Nest) -> bool {
    match &nest.reduced[..] {
        [] => true,
        [dim] => dim.steps.iter().all(|step| [0, 1].contains(step)),
        [..] => false,
    }
}

/// Returns whether the elements along an axis are nearer to each other than along another one.
fn is_nearer(dim: Option<&Dim>, other: Option<&Dim>) -> bool {
    let distance = |dim: &Dim| dim.steps.iter().map(|step| step.unsigned_abs()).fold(0, u64::saturating_add);
    dim.map_or(u64::MAX, distance) <= other.map_or(u64::MAX, distance)
}

impl<'a> Call<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        association: &'a Association,
        inputs: Inputs<'a>,
        extent: Extent,
    ) -> Call<'a> {
        let (traits, levels) = (plan.elements.traits(), &association.first);
        let has_neighbours =
            inputs.nest.reduced.len() == 1 && inputs.nest.reduced[0].steps.iter().all(|step| *step == 1);
        Call {
            plan,
            association,
            inputs,
            shared: plan.finish_groups.shared(extent.length, inputs.params),
            groups: extent.groups as usize,
            elements: 0..extent.length as usize,
            layout: plan.layout(association, inputs.nest, extent),
            has_columns: Columns::new(traits, levels).is_some(),
            has_short_rows: has_neighbours && short_rows(traits, levels, extent.length as usize).is_some(),
        }
    }

    /// The reduction of some elements of each group, which are a chunk of the association.
    pub(super) fn of_chunk(
        plan: &'a Plan,
        association: &'a Association,
        inputs: Inputs<'a>,
        elements: Range<usize>,
    ) -> Call<'a> {
        let extent = Extent { length: elements.len() as u64, ..inputs.nest.extent() };
        let call = Call::new(plan, association, inputs, extent);
        Call { elements, layout: Layout::SideBySide, has_short_rows: false, ..call }
    }

    /// The accumulators of all groups.
    pub(super) fn accumulators(&self) -> Result<Vec<Lanes>, HostError> {
        let parts = threads::map(self.batches(), |batch| self.accumulate(batch))?;
        Ok(self.plan.partials.concat(&parts))
    }

    fn run(&self) -> Result<Vec<Lanes>, HostError> {
        if self.layout == Layout::Alone {
            return self.reduce_share(std::slice::from_ref(&(0..self.groups)));
        }
        let batches = self.batches();
        let elements = (self.groups as u64).saturating_mul(self.elements.len() as u64);
        let shares = match elements.saturating_mul(self.plan.elements.traits().work as u64) {
            0..SHARED_WORK => 1,
            _ if batches.len() == 1 => 1,
            _ => threads::count(),
        };
        if shares == 1 {
            return self.reduce_share(&batches);
        }
        let share = (batches.len() / (shares * SHARES)).max(1);
        let results = threads::map(batches.chunks(share).collect(), |batches| self.reduce_share(batches))?;
        let mut all = self.plan.finish_groups.room(self.groups);
        for result in &results {
            all.iter_mut().zip(result).for_each(|(all, field)| all.extend(field.borrow()));
        }
        Ok(all)
    }

    /// Cuts the groups into batches. A batch crosses an end of the last kept axis only if it contains several turns of it.
    pub(super) fn batches(&self) -> Vec<Range<usize>> {
        if self.layout == Layout::InRanges {
            return pieces(0..self.groups, 1).collect();
        }
        let fewest = if self.layout == Layout::SideBySide { FEWEST_GROUPS } else { 1 };
        let batch = if self.has_columns && self.layout == Layout::SideBySide { WIDE_BATCH } else { BATCH };
        let most = (batch / self.elements.len()).clamp(fewest, MOST_GROUPS);
        let inner = self.inputs.nest.kept.last().map_or(1, |dim| dim.length as usize);
        if inner <= most {
            return pieces(0..self.groups, most / inner * inner).collect();
        }
        let turns = pieces(0..self.groups, inner);
        turns.flat_map(|turn| pieces(turn, most)).collect()
    }

    /// Reduces all groups on this thread, except that several reduce a long group.
    pub(super) fn run_here(&self) -> Result<Vec<Lanes>, HostError> {
        match self.layout {
            Layout::Alone => self.run(),
            Layout::InTurn | Layout::SideBySide | Layout::InRanges => self.reduce_share(&self.batches()),
        }
    }

    /// Reduces some batches, one after the other.
    fn reduce_share(&self, batches: &[Range<usize>]) -> Result<Vec<Lanes>, HostError> {
        let groups = batches.iter().map(Range::len).sum();
        let mut out = self.plan.finish_groups.room(groups);
        for batch in batches {
            let accs = self.accumulate(batch.clone())?;
            self.plan.finish_groups.append(&accs, &self.shared, &mut out)?;
        }
        Ok(out)
    }

    /// The accumulators of a batch of groups.
    pub(super) fn accumulate(&self, groups: Range<usize>) -> Result<Vec<Lanes>, HostError> {
        match self.layout {
            Layout::Alone => self.accumulate_alone(groups),
            Layout::InTurn => self.accumulate_in_turn(groups),
            Layout::SideBySide | Layout::InRanges => self.accumulate_side_by_side(groups),
        }
    }

    /// The accumulators of groups, each by all cores.
    fn accumulate_alone(&self, groups: Range<usize>) -> Result<Vec<Lanes>, HostError> {
        let mut accs: Vec<_> = self.plan.operation.acc.types().into_iter().map(Lanes::empty).collect();
        for group in groups {
            let values = self.plan.accumulate(self.association, &self.inputs.alone(group))?;
            for (acc, value) in accs.iter_mut().zip(values) {
                acc.extend(Lanes::splat(value, 1).borrow());
            }
        }
        Ok(accs)
    }

    fn accumulate_in_turn(&self, groups: Range<usize>) -> Result<Vec<Lanes>, HostError> {
        let Plan { elements, partials, collected, .. } = self.plan;
        let Association { first, again } = self.association;
        let count = groups.len();
        let items = collected.with(|copies| {
            self.inputs.in_turn(groups, copies, |source| elements.run_groups(source, first))
        })?;
        partials.until_one_each(again, items, count)
    }

    fn accumulate_side_by_side(&self, groups: Range<usize>) -> Result<Vec<Lanes>, HostError> {
        let Plan { elements, partials, collected, .. } = self.plan;
        let Association { first, again } = self.association;
        let run = |range: Range<usize>| {
            if self.has_columns
                && let Some(source) = self.inputs.columns(groups.clone(), range.clone())
            {
                return elements.run_groups(&source, first);
            }
            if self.has_short_rows && groups.len() >= BLOCK && range == self.elements {
                return collected.with(|copies| {
                    self.inputs.in_turn(groups.clone(), copies, |source| elements.run_groups(source, first))
                });
            }
            collected.with(|copies| {
                self.inputs
                    .side_by_side(groups.clone(), range, copies, |source| elements.run_groups(source, first))
            })
        };
        let ranges: Vec<_> = pieces(self.elements.clone(), self.range(groups.len())).collect();
        let items = match &ranges[..] {
            [range] => run(range.clone())?,
            _ => elements.concat(&threads::map(ranges, run)?),
        };
        partials.until_one_each(again, items, groups.len())
    }

    /// The elements of each of so many groups that are folded at once: whole chunks of every level.
    fn range(&self, groups: usize) -> usize {
        let traits = self.plan.elements.traits();
        let tile = if traits.is_exact { 1 } else { Level::tile(&self.association.first) };
        let tiles = (BATCH as u64 / groups as u64 / tile).max(1);
        usize::try_from(tile.saturating_mul(tiles)).unwrap_or(usize::MAX)
    }
}
