//! Elements of some groups, in the order in which the loops read them: where they lie, or copied.

use super::source::{Numbers, Order, Segments, Source};
use crate::{Strided, View};
use reduce_ir::Value;
use reduce_ir::axes::{Dim, Nest};
use reduce_lanes::{BLOCK, Lanes, LanesRef, Places, collect};
use std::ops::Range;

/// The inputs and params of a call for groups.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub(super) views: &'a [View<LanesRef<'a>>],
    pub(super) nest: &'a Nest,
    pub(super) params: &'a [Value],
    /// The position of the first element of each group; above 0 in a part of the data.
    pub(super) first: usize,
    /// The segments that are groups. `None`: all positions along the kept axes are groups.
    pub(super) segments: Option<Segments<'a>>,
}

impl<'a> Inputs<'a> {
    /// Returns the elements of one group, if they lie at regular distances in every input.
    pub(super) fn alone(&self, group: usize) -> Source<'a> {
        let len = self.nest.extent().length as usize;
        let strided = |(k, view): (usize, &View<LanesRef<'a>>)| {
            let kept = self.kept_offset(k, group);
            let step = self.nest.reduced.first().map_or(1, |dim| dim.steps[k]) as isize;
            Strided { data: view.data, offset: view.offset.wrapping_add_signed(kept), step, len }
        };
        Source::elements(self.views.iter().enumerate().map(strided).collect(), self.params)
            .of_groups(self.order(0, 1), self.numbers(group))
    }

    /// Calls `run` with the elements of some groups side by side.
    pub(super) fn side_by_side<R>(
        &self,
        groups: Range<usize>,
        elements: Range<usize>,
        copies: &mut [Lanes],
        run: impl FnOnce(&Source<'_>) -> R,
    ) -> R {
        let order = self.order(elements.start, groups.len());
        let numbers = self.numbers(groups.start);
        let places =
            |k| [places(&self.nest.reduced, k, elements.clone()), self.kept_places(k, groups.clone())];
        run(&self.source(places, copies).of_groups(order, numbers))
    }

    /// Returns the elements of some groups, if the rows of every input are contiguous and lie at one distance.
    pub(super) fn columns(&self, groups: Range<usize>, elements: Range<usize>) -> Option<Source<'a>> {
        let count = groups.len();
        let row = |(k, view): (usize, &View<LanesRef<'a>>)| {
            let outer = places(&self.nest.reduced, k, elements.clone());
            match (outer, self.kept_places(k, groups.clone())) {
                (Places::Even { first, step: pitch, len }, Places::Even { first: start, step: 1, .. }) => {
                    let offset = view.offset.wrapping_add_signed(first).wrapping_add_signed(start);
                    let pitch = usize::try_from(if len == 1 { count as isize } else { pitch }).ok()?;
                    let len = (len - 1) * pitch + count;
                    Some((Strided { data: view.data, offset, step: 1, len }, pitch))
                }
                _ => None,
            }
        };
        let rows: Vec<_> = self.views.iter().enumerate().map(row).collect::<Option<_>>()?;
        let pitch = rows.first()?.1;
        let is_even = pitch >= count && rows.iter().all(|(_, other)| *other == pitch);
        let order = self.order(elements.start, count);
        let source = Source::elements(rows.into_iter().map(|(row, _)| row).collect(), self.params);
        (is_even && count >= BLOCK)
            .then(|| source.of_groups(order, self.numbers(groups.start)).at_pitch(pitch))
    }

    /// Calls `run` with the elements of some groups, one group after the other.
    pub(super) fn in_turn<R>(
        &self,
        groups: Range<usize>,
        copies: &mut [Lanes],
        run: impl FnOnce(&Source<'_>) -> R,
    ) -> R {
        let (len, numbers) = (self.nest.extent().length as usize, self.numbers(groups.start));
        let places = |k| [self.kept_places(k, groups.clone()), places(&self.nest.reduced, k, 0..len)];
        run(&self.source(places, copies).of_groups(Order::InTurn { len }, numbers))
    }

    /// Returns the elements at the places of an outer and an inner loop over each input. Those that do not lie at regular distances
    /// are copied.
    fn source<'s>(&'s self, loops: impl Fn(usize) -> [Places; 2], copies: &'s mut [Lanes]) -> Source<'s> {
        let inputs = self.views.iter().zip(copies).enumerate().map(|(k, (view, copy))| {
            let [outer, inner] = loops(k);
            even(view, [&outer, &inner]).unwrap_or_else(|| {
                collect(view.data, view.offset, [&outer, &inner], copy);
                copy.borrow().into()
            })
        });
        Source::elements(inputs.collect(), self.params)
    }
}

impl<'a> Inputs<'a> {
    /// Returns the order of elements of groups side by side, from one element of each on.
    fn order(&self, element: usize, groups: usize) -> Order {
        Order::SideBySide { first: self.first + element, groups }
    }

    /// Returns the numbers of groups from one of them on.
    fn numbers(&self, first: usize) -> Numbers<'a> {
        Numbers { first, segments: self.segments }
    }

    /// Returns the distance of a group from the first element of an input.
    fn kept_offset(&self, input: usize, group: usize) -> isize {
        let Some(segments) = self.segments else { return offset(&self.nest.kept, input, group as u64) };
        let (segment, kept) = segments.of(group);
        self.segment_offset(input, segment).wrapping_add(offset(&self.nest.kept, input, kept as u64))
    }

    /// Returns the distance of a segment from the first element of an input.
    fn segment_offset(&self, input: usize, segment: usize) -> isize {
        let (start, step) =
            (self.segments.map_or(0, |segments| segments.offsets[segment]), &self.nest.reduced[0].steps);
        (start as isize).wrapping_mul(step[input] as isize)
    }

    /// Returns the distances of a range of groups from the first element of an input.
    fn kept_places(&self, input: usize, groups: Range<usize>) -> Places {
        let Some(segments) = self.segments.filter(|_| !groups.is_empty()) else {
            return places(&self.nest.kept, input, groups);
        };
        let (segment, first) = segments.of(groups.start);
        if groups.len() > segments.each - first {
            return Places::Listed(groups.map(|group| self.kept_offset(input, group)).collect());
        }
        let start = self.segment_offset(input, segment);
        match places(&self.nest.kept, input, first..first + groups.len()) {
            Places::Even { first, step, len } => Places::Even { first: start.wrapping_add(first), step, len },
            Places::Listed(all) => Places::Listed(all.into_iter().map(|at| start.wrapping_add(at)).collect()),
        }
    }
}

/// Returns the elements where they lie, if they do so at one distance.
fn even<'a>(view: &View<LanesRef<'a>>, places: [&Places; 2]) -> Option<Strided<LanesRef<'a>>> {
    let [&Places::Even { first, step: outer, len: rows }, &Places::Even { first: start, step: inner, len }] =
        places
    else {
        return None;
    };
    let step = if len == 1 { outer } else { inner };
    let is_even = rows == 1 || outer == step.wrapping_mul(len as isize);
    let offset = view.offset.wrapping_add_signed(first).wrapping_add_signed(start);
    (is_even && matches!(step, 0 | 1)).then_some(Strided { data: view.data, offset, step, len: rows * len })
}

/// Returns the distances of a range of positions along axes.
fn places(dims: &[Dim], input: usize, range: Range<usize>) -> Places {
    let first = offset(dims, input, range.start as u64);
    let Some((last, outer)) = dims.split_last() else {
        return Places::Even { first, step: 0, len: range.len() };
    };
    let (length, step) = (last.length as usize, last.steps[input] as isize);
    if range.is_empty() || range.start / length == (range.end - 1) / length {
        return Places::Even { first, step, len: range.len() };
    }
    let mut places = Vec::with_capacity(range.len());
    let mut at = range.start;
    while at < range.end {
        let (turn, start) = (at / length, at % length);
        let base = offset(outer, input, turn as u64);
        let end = length.min(start + range.end - at);
        places.extend((start..end).map(|k| base.wrapping_add(step.wrapping_mul(k as isize))));
        at += end - start;
    }
    Places::Listed(places)
}

/// Returns the distance of a position along axes from their first element.
fn offset(dims: &[Dim], input: usize, position: u64) -> isize {
    let (mut rest, mut sum) = (position, 0i64);
    for dim in dims.iter().rev() {
        sum = sum.wrapping_add(((rest % dim.length) as i64).wrapping_mul(dim.steps[input]));
        rest /= dim.length;
    }
    sum as isize
}
