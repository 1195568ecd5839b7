//! The functions in device arithmetic, many cases at once. Traces record whether a result depends on rounding,
//! wrapping, NaN or a division by zero.

use super::column::Column;
use super::equation::Numbers;
use super::rounding::{Loss, loss, may_lose};
use reduce_ir::Value;
use reduce_ir::evaluate::apply;
use reduce_ir::func::{Func, Id, Line, Node};
use std::rc::Rc;

/// Device arithmetic with one lane for each case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Native {
    /// The number of cases.
    pub(super) len: usize,
    /// Whether traces are recorded. If not, all traces are empty.
    pub(super) traced: bool,
}

/// A scalar of every case.
#[derive(Clone, Debug)]
pub(super) struct Computed(Rc<Traced>);

#[derive(Debug)]
struct Traced {
    column: Column,
    /// The trace of each lane; empty if no lane has one.
    traces: Vec<Trace>,
}

/// The events that a value depends on, as bits.
type Trace = u8;
/// A rounding.
const ROUNDED: Trace = 1;
/// An integer that wrapped.
const WRAPPED: Trace = 2;
/// A NaN.
const NAN: Trace = 4;
/// A division by zero.
const DIVIDED: Trace = 8;
/// A NaN or an infinity among the inputs.
const NOT_FINITE: Trace = 16;

/// The result of comparing two scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// They are equal.
    None,
    /// They differ, depend on a rounding, and are finite.
    Rounding,
    /// They differ, depend on a rounding, and one side is NaN or infinite.
    Overflow,
    /// They differ and depend on an integer that wrapped.
    Wrapping,
    /// They differ and depend on a division by zero.
    DivisionByZero,
    /// They differ and depend on a NaN that results from a NaN or an infinity among the inputs.
    Nan,
    /// They differ for none of these reasons.
    Real,
}

impl Computed {
    /// Returns an input scalar.
    pub(super) fn given(column: &Column) -> Computed {
        let mut traces = fresh(column);
        if column.ty().is_float() {
            mark(&mut traces, column.len(), |i| if is_finite(column.get(i)) { 0 } else { NOT_FINITE });
        }
        Computed(Rc::new(Traced { column: column.clone(), traces }))
    }

    /// Returns the value of a lane.
    pub(super) fn get(&self, lane: usize) -> Value {
        self.0.column.get(lane)
    }

    /// Returns the number of lanes.
    pub(super) fn len(&self) -> usize {
        self.0.column.len()
    }

    /// Returns whether the value of a lane depends on an integer that wrapped.
    pub(super) fn is_wrapped(&self, lane: usize) -> bool {
        self.trace(lane) & WRAPPED != 0
    }

    /// Returns whether the value of a lane is neither NaN nor infinite.
    pub(super) fn is_finite(&self, lane: usize) -> bool {
        is_finite(self.get(lane))
    }

    /// Returns the lanes in which two accumulators differ under the given equality.
    pub(super) fn differing(a: &[Computed], b: &[Computed], equal: Equality) -> Vec<usize> {
        let fields = || a.iter().zip(b).filter(|(a, b)| !a.is_same(b));
        let len = fields().map(|(a, _)| a.0.column.len()).next().unwrap_or(0);
        (0..len).filter(|&lane| fields().any(|(a, b)| !equal(a.get(lane), b.get(lane)))).collect()
    }

    /// Compares a lane with that of another scalar under the given equality.
    pub(super) fn difference(&self, other: &Computed, lane: usize, equal: Equality) -> Difference {
        let (a, b) = (self.get(lane), other.get(lane));
        let trace = self.trace(lane) | other.trace(lane);
        let has = |what: Trace| trace & what == what;
        match () {
            () if equal(a, b) => Difference::None,
            () if has(WRAPPED) => Difference::Wrapping,
            () if has(DIVIDED) => Difference::DivisionByZero,
            () if has(ROUNDED) && is_finite(a) && is_finite(b) => Difference::Rounding,
            () if has(NAN | NOT_FINITE) => Difference::Nan,
            () if has(ROUNDED) => Difference::Overflow,
            () => Difference::Real,
        }
    }

    /// Returns whether the columns are identical, without comparing floats.
    fn is_same(&self, other: &Computed) -> bool {
        !self.0.column.ty().is_float() && self.0.column == other.0.column
    }

    fn trace(&self, lane: usize) -> Trace {
        self.0.traces.get(lane).copied().unwrap_or(0)
    }
}

impl Numbers for Native {
    type Number = Computed;

    fn constant(&self, value: Value) -> Computed {
        let column = Column::splat(value, self.len);
        let traces = fresh(&column);
        Computed(Rc::new(Traced { column, traces }))
    }

    fn line(&self, func: &Func, line: &Line, known: &[Computed]) -> Computed {
        if let Node::Const(value) = line.node {
            return self.constant(value);
        }
        let operands: Vec<&Traced> = line.node.operands().map(|Id(id)| &*known[id as usize].0).collect();
        let values = |case: usize| {
            let mut values = [Value::of(false); 3];
            values.iter_mut().zip(&operands).for_each(|(value, it)| *value = it.column.get(case));
            values
        };
        // The types of functions are checked, so an error would be a bug.
        let result = |case: usize| {
            let result = apply(line.node, line.ty, &values(case)[..operands.len()]);
            result.unwrap_or(Value::from_bits(line.ty, 0))
        };
        let column = Column::of(line.ty, self.len, result);
        if !self.traced {
            return Computed(Rc::new(Traced { column, traces: Vec::new() }));
        }
        let mut traces = inherited(line.node, &operands);
        if may_lose(func, line) {
            let lost = |i: usize| loss(line.node, &values(i)[..operands.len()], column.get(i));
            mark(&mut traces, self.len, |i| lost(i).map_or(0, trace_of));
        }
        mark_nan(&mut traces, &column);
        Computed(Rc::new(Traced { column, traces }))
    }

    fn cases(&self) -> usize {
        self.len
    }

    /// Resets the trace to that of an input, but keeps the wrap flag: unbounded integers would not give that
    /// operand.
    fn as_input(&self, number: Computed) -> Computed {
        if number.0.traces.is_empty() {
            return number;
        }
        let Computed(given) = Computed::given(&number.0.column);
        let mut traces = given.traces.clone();
        mark(&mut traces, self.len, |i| number.trace(i) & WRAPPED);
        Computed(Rc::new(Traced { column: number.0.column.clone(), traces }))
    }
}

/// A notion of equality.
pub(super) type Equality = fn(Value, Value) -> bool;

/// Equality bit for bit; NaN equals NaN.
pub(super) fn same(a: Value, b: Value) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

/// Equality of numbers: zeros of either sign are equal.
pub(super) fn same_number(a: Value, b: Value) -> bool {
    same(a, b) || a.as_f64().is_some() && a.as_f64() == b.as_f64()
}

fn is_finite(value: Value) -> bool {
    value.as_f64().is_none_or(f64::is_finite)
}

fn trace_of(loss: Loss) -> Trace {
    match loss {
        Loss::Rounding => ROUNDED,
        Loss::Wrapping => WRAPPED,
        Loss::DivisionByZero => DIVIDED,
    }
}

/// Returns the traces of values without a history: only their own NaN are marked.
fn fresh(column: &Column) -> Vec<Trace> {
    let mut traces = Vec::new();
    mark_nan(&mut traces, column);
    traces
}

/// Unites the traces of the operands. A select takes the traces of its condition and of the chosen value.
fn inherited(node: Node, operands: &[&Traced]) -> Vec<Trace> {
    let len = operands.iter().map(|it| it.traces.len()).max().unwrap_or(0);
    let trace = |operand: &Traced, i: usize| operand.traces.get(i).copied().unwrap_or(0);
    let of_lane = |i: usize| match (node, operands) {
        (Node::Select(..), [c, a, b]) => {
            let chosen = if c.column.get(i).bits() == 1 { a } else { b };
            trace(c, i) | trace(chosen, i)
        }
        _ => operands.iter().fold(0, |all, operand| all | trace(operand, i)),
    };
    (0..len).map(of_lane).collect()
}

fn mark(traces: &mut Vec<Trace>, len: usize, of_lane: impl Fn(usize) -> Trace) {
    traces.resize(len, 0);
    traces.iter_mut().enumerate().for_each(|(i, trace)| *trace |= of_lane(i));
}

fn mark_nan(traces: &mut Vec<Trace>, column: &Column) {
    if column.ty().is_float() {
        mark(traces, column.len(), |i| if column.get(i).is_nan() { NAN } else { 0 });
    }
}
