//! The functions in real numbers: as fractions, and beyond their range, up to an error bound.

mod convert;
mod functions;
mod real;
mod unbounded;

use super::ball::Ball;
use super::equation::Numbers;
use super::ratio::Ratio;
use reduce_ir::evaluate;
use reduce_ir::func::{Func, Line, Node};
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::{Scalar, Value};
use std::cmp::Ordering;

/// The domain of real numbers, one case at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reals {
    /// Whether integers wrap, as on devices. If not, they are unbounded.
    pub(super) wraps: bool,
}

/// The knowledge about a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Real {
    /// A `bool`, or an integer that wraps.
    Value(Value),
    /// An exact number, which may be an unbounded integer.
    Exact(Ratio),
    /// A number with an error bound.
    Ball(Ball),
    /// +∞ or −∞.
    Infinite { negative: bool },
    /// Unknown: NaN, the sign of a zero, or a comparison that the bounds leave open.
    Unknown,
}

/// The result of comparing two scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// They are equal.
    Equal,
    /// They may be equal: their error bounds overlap.
    Close,
    /// Undecided.
    Open,
    /// They differ.
    Different,
}

impl Numbers for Reals {
    type Number = Real;

    fn constant(&self, value: Value) -> Real {
        self.of(value)
    }

    fn line(&self, func: &Func, line: &Line, known: &[Real]) -> Real {
        let get = self.operands(func, line, known);
        let result = match line.node {
            Node::Const(value) => Real::of(value),
            Node::Un(op, a) => get(a).un(op, line.ty),
            Node::Bin(op, a, b) => get(a).bin(op, get(b)),
            Node::Cmp(op, a, b) => get(a).cmp(op, get(b)),
            Node::Select(c, a, b) => get(c).select(get(a), get(b)),
            Node::Cast(to, a) => get(a).cast(func.ty(a), to),
            Node::MulAdd(a, b, c) => get(a).bin(Bin::Mul, get(b)).bin(Bin::Add, get(c)),
        };
        self.result(line, result)
    }

    fn as_input(&self, number: Real) -> Real {
        number
    }

    fn cases(&self) -> usize {
        1
    }
}

impl Real {
    /// Compares the scalar with another of its type.
    pub(super) fn likeness(self, other: Real) -> Likeness {
        if let (Real::Value(a), Real::Value(b)) = (self, other) {
            return if a == b { Likeness::Equal } else { Likeness::Different };
        }
        match self.order(other) {
            Some(Ordering::Equal) => Likeness::Equal,
            Some(Ordering::Less | Ordering::Greater) => Likeness::Different,
            None if self == Real::Unknown || other == Real::Unknown => Likeness::Open,
            None => Likeness::Close,
        }
    }

    fn un(self, op: Un, to: Scalar) -> Real {
        match self {
            Real::Unknown => Real::Unknown,
            Real::Value(bits) if op == Un::FromBits => Real::from_bits(bits),
            Real::Value(a) => known(evaluate::un(op, a)),
            Real::Exact(_) | Real::Ball(_) | Real::Infinite { .. } => self.real_function(op, to),
        }
    }

    fn bin(self, op: Bin, other: Real) -> Real {
        let absorbs = |it| match op {
            Bin::And => it == Real::Value(Value::of(false)),
            Bin::Or => it == Real::Value(Value::of(true)),
            Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem => false,
            Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => false,
            Bin::Xor | Bin::Shl | Bin::Shr => false,
            Bin::Powf | Bin::Hypot | Bin::Atan2 => false,
        };
        match (self, other) {
            (Real::Value(a), Real::Value(b)) => known(evaluate::bin(op, a, b)),
            (it, _) | (_, it) if absorbs(it) => it,
            (Real::Unknown, _) | (_, Real::Unknown) => Real::Unknown,
            (a, b) => a.real_operation(op, b),
        }
    }

    fn cmp(self, op: Cmp, other: Real) -> Real {
        if let (Real::Value(a), Real::Value(b)) = (self, other) {
            return known(evaluate::cmp(op, a, b));
        }
        let holds = |order: Ordering| match op {
            Cmp::Eq => order.is_eq(),
            Cmp::Ne => order.is_ne(),
            Cmp::Lt => order.is_lt(),
            Cmp::Le => order.is_le(),
            Cmp::Gt => order.is_gt(),
            Cmp::Ge => order.is_ge(),
        };
        self.order(other).map_or(Real::Unknown, |order| Real::Value(Value::of(holds(order))))
    }

    fn select(self, a: Real, b: Real) -> Real {
        match self {
            _ if a == b => a,
            Real::Value(cond) if cond.bits() == 1 => a,
            Real::Value(_) => b,
            Real::Exact(_) | Real::Ball(_) | Real::Infinite { .. } | Real::Unknown => Real::Unknown,
        }
    }
}

/// Converts the result of an operation on values. The type checks of functions guarantee that it exists.
fn known(result: Option<Value>) -> Real {
    result.map_or(Real::Unknown, Real::Value)
}
