//! What a pass reads: the elements of inputs, or the partials of the pass before.

use crate::Strided;
use reduce_ir::Value;
use reduce_ir::operation::Argument;
use reduce_lanes::{Lanes, LanesRef, SHARED};
use std::ops::Range;

/// Elements side by side, and the scalars of the call.
pub(super) struct Source<'a> {
    inputs: Vec<Strided<LanesRef<'a>>>,
    params: &'a [Value],
    len: usize,
}

impl<'a> Source<'a> {
    /// The elements of inputs of one length.
    pub(super) fn elements(inputs: Vec<Strided<LanesRef<'a>>>, params: &'a [Value]) -> Source<'a> {
        let len = inputs.first().map_or(0, |input| input.len);
        Source { inputs, params, len }
    }

    /// Accumulators.
    pub(super) fn partials(items: &'a [Lanes]) -> Source<'a> {
        Source::elements(items.iter().map(|field| field.borrow().into()).collect(), &[])
    }

    /// How many elements.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Of all elements.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |input: &Strided<LanesRef<'_>>| input.len.saturating_mul(input.data.ty().size());
        self.inputs.iter().map(bytes).fold(0, usize::saturating_add)
    }

    /// All elements, in ranges of that length and a last one.
    pub(super) fn cut(&self, len: usize) -> Vec<Range<usize>> {
        pieces(0..self.len, len).collect()
    }
}

/// Rows of elements that are read next, and asked for some at a time: all at once, they would hold up what is computed.
pub(super) struct Ahead<'s, R> {
    source: &'s Source<'s>,
    rows: R,
    row: Range<usize>,
    share: usize,
    ask: fn(LanesRef<'_>),
}

impl<'s, R: Iterator<Item = Range<usize>>> Ahead<'s, R> {
    /// Those rows, `share` elements at a time, by the loop that asks.
    pub(super) fn new(source: &'s Source<'s>, rows: R, share: usize, ask: fn(LanesRef<'_>)) -> Ahead<'s, R> {
        Ahead { source, rows, row: 0..0, share, ask }
    }

    /// Asks for some more, where there are more, and where they lie side by side.
    pub(super) fn more(&mut self) {
        let mut left = self.share;
        while left > 0 {
            if self.row.is_empty() {
                let Some(row) = self.rows.next() else { return };
                self.row = row;
            }
            let some = self.row.start..self.row.end.min(self.row.start + left);
            (self.row.start, left) = (some.end, left - some.len());
            for input in self.source.inputs.iter().filter(|input| input.step == 1) {
                (self.ask)(input.data.slice(input.places(some.clone())));
            }
        }
    }
}

/// Pieces of that length, and a last one.
pub(super) fn pieces(range: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(len).map(move |start| start..start.saturating_add(len).min(end))
}

/// What the functions are given of some elements side by side; what is not in memory as it is needed lies here.
#[derive(Clone, Debug)]
pub(super) struct Row {
    arguments: Vec<Argument>,
    /// One vector for each argument.
    lanes: Vec<Lanes>,
    range: Range<usize>,
}

impl Row {
    /// A row for functions of those arguments.
    pub(super) fn new(arguments: &[Argument], lanes: Vec<Lanes>) -> Row {
        Row { arguments: arguments.to_vec(), lanes, range: 0..0 }
    }

    /// Makes it the elements at those positions, which join lanes that have folded `step` elements.
    pub(super) fn load(&mut self, source: &Source<'_>, range: Range<usize>, step: usize) {
        for (&argument, lanes) in self.arguments.iter().zip(&mut self.lanes) {
            match argument {
                Argument::Input(k) => gather(&source.inputs[k], range.clone(), lanes),
                Argument::Index => positions(range.clone(), lanes),
                Argument::Step => lanes.hold(Value::of(step as u64), SHARED),
                Argument::Param(k) => lanes.hold(source.params[k], SHARED),
                Argument::Acc(_) | Argument::Count => {}
            }
        }
        self.range = range;
    }

    /// Is the `k`-th argument one value for all elements? Of that there is a block.
    pub(super) fn is_uniform(&self, k: usize) -> bool {
        is_uniform(&self.arguments[k])
    }

    /// What is given for the `k`-th argument.
    pub(super) fn arg<'s>(&'s self, source: &'s Source<'_>, k: usize) -> LanesRef<'s> {
        if let Argument::Input(input) = self.arguments[k]
            && let input = &source.inputs[input]
            && input.step == 1
        {
            return input.data.slice(input.places(self.range.clone()));
        }
        self.lanes[k].borrow()
    }
}

/// Is it one value for all elements that join lanes at once?
pub(super) fn is_uniform(argument: &Argument) -> bool {
    matches!(argument, Argument::Param(_) | Argument::Step)
}

/// Elements that lie apart, side by side.
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

fn positions(range: Range<usize>, out: &mut Lanes) {
    out.clear();
    if let Lanes::U64(out) = out {
        out.extend(range.start as u64..range.end as u64);
    } else if let Lanes::U32(out) = out {
        // Of fewer than 2^32 elements.
        out.extend(range.start as u32..range.end as u32);
    }
}
