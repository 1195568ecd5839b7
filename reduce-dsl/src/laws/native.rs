//! The functions as devices compute them, many cases at once, and what their results owe to rounding and to NaN.

use super::equation::Numbers;
use super::rounding::{Loss, is_lost, loss};
use crate::Value;
use crate::func::{Func, Id, Line, Node};
use crate::lanes::{self, Lanes, LanesRef};
use std::rc::Rc;

/// Scalars as devices compute them, in as many lanes as there are cases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Native {
    /// How many cases.
    pub(super) len: usize,
    /// Is it noted what results owe to what? If not, they owe nothing.
    pub(super) traced: bool,
}

/// A scalar of every case.
#[derive(Clone, Debug)]
pub(super) struct Computed(Rc<Traced>);

#[derive(Debug)]
struct Traced {
    lanes: Lanes,
    /// What each lane owes to what; none where nothing owes anything.
    traces: Vec<Trace>,
}

/// What a value depends on, as bits.
type Trace = u8;
/// A rounding.
const ROUNDED: Trace = 1;
/// An integer that wrapped.
const WRAPPED: Trace = 2;
/// A NaN.
const NAN: Trace = 4;

/// How two accumulators compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Difference {
    /// They are equal, bit for bit; NaN is equal to NaN.
    None,
    /// What differs is rounded and finite.
    Rounding,
    /// What differs is rounded, and NaN or infinite on one side; or depends on an integer that wrapped.
    Overflow,
    /// What differs depends on a NaN.
    Nan,
    /// They are not equal.
    Real,
}

impl Computed {
    /// A scalar that is given.
    pub(super) fn given(lanes: &Lanes) -> Computed {
        Computed::fresh(lanes.clone())
    }

    /// The value in a lane.
    pub(super) fn get(&self, lane: usize) -> Value {
        self.0.lanes.get(lane)
    }

    /// The value in every lane.
    pub(super) fn lanes(&self) -> Lanes {
        self.0.lanes.clone()
    }

    /// Does the value in a lane depend on anything that is no number's own?
    pub(super) fn is_traced(&self, lane: usize) -> bool {
        self.trace(lane) != 0
    }

    /// The lanes of which two accumulators differ.
    pub(super) fn differing(a: &[Computed], b: &[Computed]) -> Vec<usize> {
        let fields = || a.iter().zip(b).filter(|(a, b)| !a.is_same(b));
        let len = fields().map(|(a, _)| a.0.lanes.len()).next().unwrap_or(0);
        (0..len).filter(|&lane| fields().any(|(a, b)| !same(a.get(lane), b.get(lane)))).collect()
    }

    /// How a lane of two accumulators compares: by the field that says most.
    pub(super) fn difference(a: &[Computed], b: &[Computed], lane: usize) -> Difference {
        let fields = a.iter().zip(b).map(|(a, b)| a.differs(b, lane));
        fields.max().unwrap_or(Difference::None)
    }

    fn differs(&self, other: &Computed, lane: usize) -> Difference {
        let (a, b) = (self.get(lane), other.get(lane));
        let is_finite = |value: Value| value.as_f64().is_none_or(f64::is_finite);
        match self.trace(lane) | other.trace(lane) {
            _ if same(a, b) => Difference::None,
            0 => Difference::Real,
            NAN => Difference::Nan,
            trace if trace & WRAPPED == 0 && is_finite(a) && is_finite(b) => Difference::Rounding,
            _ => Difference::Overflow,
        }
    }

    /// Is it known at a glance that they do not differ?
    fn is_same(&self, other: &Computed) -> bool {
        !self.0.lanes.ty().is_float() && self.0.lanes == other.0.lanes
    }

    fn trace(&self, lane: usize) -> Trace {
        self.0.traces.get(lane).copied().unwrap_or(0)
    }

    /// Lanes that owe nothing but what is NaN in them.
    fn fresh(lanes: Lanes) -> Computed {
        let mut traces = vec![0; if lanes.ty().is_float() { lanes.len() } else { 0 }];
        mark_nan(&mut traces, lanes.borrow());
        Computed(Rc::new(Traced { lanes, traces }))
    }
}

impl Numbers for Native {
    type Number = Computed;

    fn constant(&self, value: Value) -> Computed {
        Computed::fresh(Lanes::splat(value, self.len))
    }

    fn line(&self, func: &Func, line: &Line, known: &[Computed]) -> Computed {
        if let Node::Const(value) = line.node {
            return self.constant(value);
        }
        let operands: Vec<&Traced> = line.node.operands().map(|Id(id)| &*known[id as usize].0).collect();
        let values: Vec<LanesRef<'_>> = operands.iter().map(|it| it.lanes.borrow()).collect();
        let mut lanes = Lanes::empty(line.ty);
        if lanes::apply(line.node, &values, &mut lanes).is_err() {
            // Functions are of checked types: what is no operation on them would be a bug.
            lanes = Lanes::splat(Value::from_bits(line.ty, 0), self.len);
        }
        if !self.traced {
            return Computed(Rc::new(Traced { lanes, traces: Vec::new() }));
        }
        let mut traces = inherited(line.node, &operands);
        if let Some(loss) = loss(func, line) {
            let trace = if loss == Loss::Rounding { ROUNDED } else { WRAPPED };
            let lost = |i| if is_lost(line.node, &values, lanes.borrow(), i) { trace } else { 0 };
            mark(&mut traces, self.len, lost);
        }
        mark_nan(&mut traces, lanes.borrow());
        Computed(Rc::new(Traced { lanes, traces }))
    }

    fn settled(&self, number: Computed) -> Computed {
        if number.0.traces.is_empty() { number } else { Computed::fresh(number.0.lanes.clone()) }
    }
}

/// Equal bit for bit; NaN is equal to NaN.
fn same(a: Value, b: Value) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

/// What operands owe, their result owes; but of a choice, what was not chosen.
fn inherited(node: Node, operands: &[&Traced]) -> Vec<Trace> {
    let len = operands.iter().map(|it| it.traces.len()).max().unwrap_or(0);
    let trace = |operand: &Traced, i: usize| operand.traces.get(i).copied().unwrap_or(0);
    let of_lane = |i: usize| match (node, operands) {
        (Node::Select(..), [c, a, b]) => {
            let chosen = if c.lanes.get(i).bits() == 1 { a } else { b };
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

fn mark_nan(traces: &mut Vec<Trace>, lanes: LanesRef<'_>) {
    if lanes.ty().is_float() {
        mark(traces, lanes.len(), |i| if lanes.get(i).is_nan() { NAN } else { 0 });
    }
}
