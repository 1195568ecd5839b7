//! Segments: groups of different lengths, which offsets cut from the elements along one axis.
//!
//! Threads take segments that follow each other, about as many elements each, so that one long segment delays no other. Sums of floats are
//! computed where the elements lie, one segment after the other. Other segments of one length are reduced together, as
//! [groups](super::groups).

use super::collect::Inputs;
use super::error::HostError;
use super::groups::Call;
use super::plan::Plan;
use super::schedule::segment_sums;
use super::source::{Segments, Source, pieces};
use super::threads;
use crate::{Strided, View};
use reduce_ir::axes::{Dim, Nest};
use reduce_ir::program::Association;
use reduce_ir::{Extent, Value};
use reduce_lanes::{Lanes, LanesRef, SegmentSum, scatter};
use std::ops::Range;

/// Shares of the segments per core, so that no core waits long for the last one.
const SHARES: usize = 16;

/// The least work of a share: elements, and as many again for each segment.
const LEAST: usize = 1 << 16;

/// The cost of a segment, in elements.
const SEGMENT: usize = 8;

/// Lengths that segments are sorted by counting. Longer ones are few.
const COUNTED: usize = 1 << 12;

/// Segments that are summed at once, so that their sums stay in the L1 cache.
const BATCH: usize = 1 << 11;

/// A call.
struct Cut<'a> {
    plan: &'a Plan,
    /// The associations, each with the most elements that it is for, ascending.
    associations: &'a [(u64, &'a Association)],
    /// How segments are summed where they lie; none if they are not.
    sums: Vec<SegmentSum>,
    views: &'a [View<LanesRef<'a>>],
    nest: &'a Nest,
    offsets: &'a [usize],
    params: &'a [Value],
    /// The stored result of a segment without elements.
    empty: &'a [Value],
}

impl Plan {
    /// Reduces each segment between ascending offsets along the only reduced axis, for each position along the kept axes of a nest.
    /// Each association has the most elements that it is for; they ascend. Returns one vector for each field of the stored output; segments
    /// without elements have the values of `empty`. Inputs, params and nest are as for [`Plan::reduce_groups`], with the reduced axis
    /// unmerged.
    ///
    /// # Errors
    /// Inputs or params that differ from the above.
    pub fn reduce_segments(
        &self,
        associations: &[(u64, &Association)],
        views: &[View<LanesRef<'_>>],
        nest: &Nest,
        offsets: &[usize],
        (params, empty): (&[Value], &[Value]),
    ) -> Result<Vec<Lanes>, HostError> {
        if !self.takes_views(views, params) || nest.reduced.len() != 1 {
            return Err(HostError::Given { operator: self.operation.name.clone() });
        }
        let sums = self.segment_sums(associations, nest);
        let cut = Cut { plan: self, associations, sums, views, nest, offsets, params, empty };
        let results = threads::map(cut.shares(), |share| cut.reduce(share))?;
        let mut all = self.finish_groups.room(results.iter().map(|share| share[0].len()).sum());
        for result in &results {
            all.iter_mut().zip(result).for_each(|(all, field)| all.extend(field.borrow()));
        }
        Ok(all)
    }

    /// Returns how segments along the reduced axis are summed where they lie. Without sums they are not.
    fn segment_sums(&self, associations: &[(u64, &Association)], nest: &Nest) -> Vec<SegmentSum> {
        let lies_in_place = nest.reduced[0].steps.iter().all(|&step| step == 1) && nest.extent().groups == 1;
        match &self.operation.inputs[..] {
            [input] if lies_in_place && !self.finish_groups.counts() => {
                segment_sums(self.elements.traits(), associations, input.ty.size())
            }
            _ => Vec::new(),
        }
    }
}

impl Cut<'_> {
    /// Cuts the segments into shares of about the same work.
    fn shares(&self) -> Vec<Range<usize>> {
        let segments = self.offsets.len().saturating_sub(1);
        if segments == 0 {
            return Vec::new();
        }
        let cost = |segment: usize| self.offsets[segment] - self.offsets[0] + SEGMENT * segment;
        let share = (cost(segments) / (SHARES * threads::count())).max(LEAST);
        let mut shares = Vec::new();
        let mut first = 0;
        while first < segments {
            let end = cost(first) + share;
            let next = first + 1 + partition_point(first + 1..segments, |segment| cost(segment) < end);
            shares.push(first..next);
            first = next;
        }
        shares
    }

    /// Reduces segments that follow each other.
    fn reduce(&self, share: Range<usize>) -> Result<Vec<Lanes>, HostError> {
        let each = self.nest.kept.iter().map(|dim| dim.length as usize).product();
        let mut out = self.plan.finish_groups.room(share.len() * each);
        if !self.sums.is_empty() {
            self.sum(share.clone(), &mut out)?;
        }
        out.iter_mut().for_each(|field| field.resize(share.len() * each));
        let sorted = self.by_length(self.others(share.clone()));
        for numbers in sorted.chunk_by(|&a, &b| self.length(a) == self.length(b)) {
            let length = self.length(numbers[0]);
            if length == 0 {
                self.set_empty(numbers, (share.start, each), &mut out);
                continue;
            }
            let segments = Segments { numbers, offsets: self.offsets, each };
            let results = self.reduce_alike(segments, length as u64)?;
            for (field, out) in results.iter().zip(&mut out) {
                scatter(field.borrow(), numbers.iter().map(|number| number - share.start), each, out);
            }
        }
        Ok(out)
    }

    /// Appends the results of segments, except for [others](Cut::others), whose results mean nothing.
    fn sum(&self, share: Range<usize>, out: &mut [Lanes]) -> Result<(), HostError> {
        let len = self.nest.reduced[0].length as usize;
        let input = |view: &View<_>| Strided { data: view.data, offset: view.offset, step: 1, len };
        let source = Source::elements(self.views.iter().map(input).collect(), self.params);
        let shared = self.plan.finish_groups.shared(0, self.params);
        for batch in pieces(share, BATCH) {
            let offsets = &self.offsets[batch.start..=batch.end];
            let accs = self.plan.elements.sum_segments(&source, offsets, &self.sums)?;
            self.plan.finish_groups.append(&accs, &shared, out)?;
        }
        Ok(())
    }

    /// Returns the segments that are not summed where they lie.
    fn others(&self, share: Range<usize>) -> Vec<usize> {
        let Some(most) = self.sums.last().map(SegmentSum::most) else { return share.collect() };
        let last = (self.nest.reduced[0].length as usize).saturating_sub(SegmentSum::AFTER);
        let is_other = |ends: &[usize]| (ends[1] - ends[0]).wrapping_sub(1) >= most || ends[1] > last;
        let offsets = &self.offsets[share.start..=share.end];
        // Without an early end, this loop has no branches.
        if !offsets.windows(2).fold(false, |any, ends| any | is_other(ends)) {
            return Vec::new();
        }
        share.zip(offsets.windows(2)).filter(|(_, ends)| is_other(ends)).map(|(segment, _)| segment).collect()
    }

    /// Reduces segments of one length.
    fn reduce_alike(&self, segments: Segments<'_>, length: u64) -> Result<Vec<Lanes>, HostError> {
        let reduced = vec![Dim { length, steps: self.nest.reduced[0].steps.clone() }];
        let nest = Nest { reduced, ..self.nest.clone() };
        let extent = Extent { groups: (segments.numbers.len() * segments.each) as u64, length };
        let segments = Some(segments);
        let inputs = Inputs { views: self.views, nest: &nest, params: self.params, first: 0, segments };
        let place = self.associations.partition_point(|(most, _)| *most < length);
        Call::new(self.plan, self.associations[place].1, inputs, extent).run_here()
    }

    fn length(&self, segment: usize) -> usize {
        self.offsets[segment + 1] - self.offsets[segment]
    }

    /// Returns the numbers of segments, sorted by their lengths.
    fn by_length(&self, segments: Vec<usize>) -> Vec<usize> {
        if segments.is_empty() {
            return segments;
        }
        let mut ends = vec![0; COUNTED + 1];
        let place = |segment| self.length(segment).min(COUNTED);
        segments.iter().for_each(|&segment| ends[place(segment)] += 1);
        let mut sum = 0;
        ends.iter_mut().for_each(|end| sum += std::mem::replace(end, sum));
        let mut sorted = vec![0; segments.len()];
        for segment in segments {
            let at = &mut ends[place(segment)];
            sorted[*at] = segment;
            *at += 1;
        }
        let long = ends[COUNTED - 1];
        sorted[long..].sort_by_key(|&segment| self.length(segment));
        sorted
    }

    /// Sets the results of segments without elements.
    fn set_empty(&self, numbers: &[usize], (first, each): (usize, usize), out: &mut [Lanes]) {
        for (field, &value) in out.iter_mut().zip(self.empty) {
            for number in numbers {
                let start = (number - first) * each;
                (start..start + each).for_each(|at| field.set(at, value));
            }
        }
    }
}

/// Returns how many of ascending numbers satisfy a condition that holds for the first ones only.
fn partition_point(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low - range.start
}
