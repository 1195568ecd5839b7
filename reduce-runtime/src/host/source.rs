//! The elements that a pass reads: those of the inputs, or the partials of the pass before.

use crate::strided::Strided;
use reduce_ir::Scalar;
use reduce_ir::Value;
use reduce_ir::operation::Argument;
use reduce_lanes::{Lanes, LanesRef, SHARED};
use std::ops::Range;

/// Inputs of one length, and the params of the call.
pub(super) struct Source<'a> {
    inputs: Vec<Strided<LanesRef<'a>>>,
    params: &'a [Value],
    len: usize,
    order: Order,
    /// The numbers of the groups.
    numbers: Numbers<'a>,
    /// The distance of the rows of groups side by side, if they do not follow each other. Only loops over columns read them.
    pitch: Option<usize>,
}

/// How the elements of groups follow each other, and so the positions of elements in their groups.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// Elements of `groups` groups side by side: the elements at position `first` of every group, then those at the next one.
    SideBySide { first: usize, groups: usize },
    /// One group after the other, each of `len` elements.
    InTurn { len: usize },
}

/// The numbers of the groups of a source: they follow each other, or are those of segments.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    pub(super) first: usize,
    pub(super) segments: Option<Segments<'a>>,
}

/// Segments of one length. They are an axis before the kept ones.
#[derive(Clone, Copy)]
pub(super) struct Segments<'a> {
    /// The numbers of the segments.
    pub(super) numbers: &'a [usize],
    /// The offset of each segment, by its number.
    pub(super) offsets: &'a [usize],
    /// The groups of a segment: the positions along the kept axes.
    pub(super) each: usize,
}

impl Segments<'_> {
    /// The segment of a group, and the position of the group along the kept axes.
    pub(super) fn of(&self, group: usize) -> (usize, usize) {
        (self.numbers[group / self.each], group % self.each)
    }

    /// The number of a group among those of all segments.
    fn number(&self, group: usize) -> usize {
        let (segment, kept) = self.of(group);
        segment * self.each + kept
    }
}

impl Numbers<'_> {
    /// From the first group on.
    pub(super) const ALL: Numbers<'static> = Numbers { first: 0, segments: None };

    fn of(&self, at: usize) -> usize {
        self.segments.map_or(self.first + at, |segments| segments.number(self.first + at))
    }
}

impl Order {
    /// One group.
    pub(super) const ALONE: Order = Order::SideBySide { first: 0, groups: 1 };
}

impl<'a> Source<'a> {
    /// The elements of the inputs, which have one length.
    pub(super) fn elements(inputs: Vec<Strided<LanesRef<'a>>>, params: &'a [Value]) -> Source<'a> {
        let len = inputs.first().map_or(0, |input| input.len);
        Source { inputs, params, len, order: Order::ALONE, numbers: Numbers::ALL, pitch: None }
    }

    /// The same elements as those of groups with these numbers.
    pub(super) fn of_groups(self, order: Order, numbers: Numbers<'a>) -> Source<'a> {
        Source { order, numbers, ..self }
    }

    /// The same elements in rows at that distance.
    pub(super) fn at_pitch(self, pitch: usize) -> Source<'a> {
        Source { pitch: Some(pitch), ..self }
    }

    /// The distance of the rows of groups side by side, if they do not follow each other.
    pub(super) fn pitch(&self) -> Option<usize> {
        self.pitch
    }

    /// The elements of an argument that is an input, which lie side by side.
    pub(super) fn dense(&self, argument: Argument) -> LanesRef<'a> {
        match argument {
            Argument::Input(k) => self.inputs[k].data.slice(self.inputs[k].places(0..self.inputs[k].len)),
            Argument::Acc(_)
            | Argument::Index
            | Argument::Group
            | Argument::Step
            | Argument::Count
            | Argument::Param(_) => LanesRef::Bool(&[]),
        }
    }

    /// How the elements of groups follow each other.
    pub(super) fn order(&self) -> Order {
        self.order
    }

    /// The number of groups that lie side by side.
    pub(super) fn side_by_side(&self) -> usize {
        match self.order {
            Order::SideBySide { groups, .. } => groups,
            Order::InTurn { .. } => 1,
        }
    }

    /// Partials, one vector of lanes for each field.
    pub(super) fn partials(items: &'a [Lanes]) -> Source<'a> {
        Source::elements(items.iter().map(|field| field.borrow().into()).collect(), &[])
    }

    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of all elements.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |input: &Strided<LanesRef<'_>>| input.len.saturating_mul(input.data.ty().size());
        self.inputs.iter().map(bytes).fold(0, usize::saturating_add)
    }

    /// Whether the elements of every input lie side by side.
    pub(super) fn is_contiguous(&self) -> bool {
        self.inputs.iter().all(|input| input.step == 1)
    }

    /// All elements, in ranges of `len` elements and a shorter last one.
    pub(super) fn cut(&self, len: usize) -> Vec<Range<usize>> {
        pieces(0..self.len, len).collect()
    }
}

/// Prefetches the rows that are read next, a share at a time: all at once, they would delay the operations between.
pub(super) struct Ahead<'s, R> {
    source: &'s Source<'s>,
    rows: R,
    row: Range<usize>,
    share: usize,
    prefetch: fn(LanesRef<'_>),
}

impl<'s, R: Iterator<Item = Range<usize>>> Ahead<'s, R> {
    /// The rows, `share` elements at a time.
    pub(super) fn new(
        source: &'s Source<'s>,
        rows: R,
        share: usize,
        prefetch: fn(LanesRef<'_>),
    ) -> Ahead<'s, R> {
        Ahead { source, rows, row: 0..0, share, prefetch }
    }

    /// Prefetches the next share, of the inputs whose elements lie side by side.
    pub(super) fn prefetch_share(&mut self) {
        let mut left = self.share;
        while left > 0 {
            if self.row.is_empty() {
                let Some(row) = self.rows.next() else { return };
                self.row = row;
            }
            let some = self.row.start..self.row.end.min(self.row.start + left);
            (self.row.start, left) = (some.end, left - some.len());
            for input in self.source.inputs.iter().filter(|input| input.step == 1) {
                (self.prefetch)(input.data.slice(input.places(some.clone())));
            }
        }
    }
}

/// Ranges of `len`, and a shorter last one.
pub(super) fn pieces(range: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(len).map(move |start| start..start.saturating_add(len).min(end))
}

/// Arguments of the functions for a range of elements. Lanes hold those that are not in memory as the functions need them.
#[derive(Clone, Debug)]
pub(super) struct Row {
    arguments: Vec<(Argument, Lanes)>,
    range: Range<usize>,
}

impl Row {
    /// An empty row of these arguments.
    pub(super) fn new(arguments: &[(Argument, Scalar)]) -> Row {
        let arguments = arguments.iter().map(|&(argument, ty)| (argument, Lanes::empty(ty))).collect();
        Row { arguments, range: 0..0 }
    }

    /// Loads the elements at `range`, which are folded into lanes that have folded `step` elements.
    pub(super) fn load(&mut self, source: &Source<'_>, range: Range<usize>, step: usize) {
        for (argument, lanes) in &mut self.arguments {
            match *argument {
                Argument::Input(k) => gather(&source.inputs[k], range.clone(), lanes),
                Argument::Index => positions(source.order, range.clone(), lanes),
                Argument::Group => groups(source, range.clone(), lanes),
                Argument::Step => lanes.hold(Value::of(step as u64), SHARED),
                Argument::Param(k) => lanes.hold(source.params[k], SHARED),
                Argument::Acc(_) | Argument::Count => {}
            }
        }
        self.range = range;
    }

    /// Whether the `k`-th argument is one value for all elements, of which lanes hold one block.
    pub(super) fn is_uniform(&self, k: usize) -> bool {
        is_uniform(&self.arguments[k].0)
    }

    /// The lanes of the `k`-th argument.
    pub(super) fn arg<'s>(&'s self, source: &'s Source<'_>, k: usize) -> LanesRef<'s> {
        if let Argument::Input(input) = self.arguments[k].0
            && let input = &source.inputs[input]
            && input.step == 1
        {
            return input.data.slice(input.places(self.range.clone()));
        }
        self.arguments[k].1.borrow()
    }
}

/// Whether an argument is one value for all elements that are folded at once.
pub(super) fn is_uniform(argument: &Argument) -> bool {
    matches!(argument, Argument::Param(_) | Argument::Step)
}

/// Copies the elements of a strided input side by side.
fn gather(input: &Strided<LanesRef<'_>>, range: Range<usize>, out: &mut Lanes) {
    let (len, places) = (range.len(), input.places(range));
    match input.step {
        1 => {}
        0 => {
            out.resize(len);
            if len > 0 {
                out.fill(input.data.get(input.offset));
            }
        }
        step => {
            reduce_lanes::gather(input.data.slice(places), [0, 1, step.unsigned_abs()], out, 0);
            if step < 0 {
                out.reverse();
            }
        }
    }
}

/// Sets `out` to the positions of elements in their groups.
fn positions(order: Order, range: Range<usize>, out: &mut Lanes) {
    out.clear();
    match order {
        Order::SideBySide { first, groups: 1 } => count(first + range.start..first + range.end, out),
        Order::SideBySide { first, groups } => {
            for row in pieces(range, groups) {
                let next = (row.start / groups + 1) * groups;
                let [now, later] = [row.end.min(next) - row.start, row.end.saturating_sub(next)];
                let position = first + row.start / groups;
                repeat(position, now, out);
                repeat(position + 1, later, out);
            }
        }
        Order::InTurn { len } => {
            for row in pieces(range, len) {
                let (start, next) = (row.start % len, (row.start / len + 1) * len);
                count(start..start + row.end.min(next) - row.start, out);
                count(0..row.end.saturating_sub(next), out);
            }
        }
    }
}

/// Sets `out` to the numbers of the groups of elements.
fn groups(source: &Source<'_>, range: Range<usize>, out: &mut Lanes) {
    out.clear();
    let Lanes::U64(out) = out else { return };
    out.extend(range.map(|at| {
        let group = match source.order {
            Order::SideBySide { groups, .. } => at % groups,
            Order::InTurn { len } => at / len,
        };
        source.numbers.of(group) as u64
    }));
}

/// Appends the positions of a range.
fn count(range: Range<usize>, out: &mut Lanes) {
    if let Lanes::U64(out) = out {
        out.extend(range.start as u64..range.end as u64);
    } else if let Lanes::U32(out) = out {
        // Operations use 32-bit positions only below 2^32 elements.
        out.extend(range.start as u32..range.end as u32);
    }
}

/// Appends one position several times.
fn repeat(position: usize, len: usize, out: &mut Lanes) {
    let all = out.len() + len;
    if let Lanes::U64(out) = out {
        out.resize(all, position as u64);
    } else if let Lanes::U32(out) = out {
        out.resize(all, position as u32);
    }
}
