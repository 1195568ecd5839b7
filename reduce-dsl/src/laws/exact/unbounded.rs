//! Unbounded integers: the results of operations before wrapping.

use super::{Real, Reals};
use crate::laws::ratio::Ratio;
use crate::laws::rounding::may_lose;
use reduce_ir::func::{Func, Id, Line, Node};
use reduce_ir::ops::{Bin, Un};
use reduce_ir::{Scalar, Value};

impl Reals {
    /// Converts an input scalar.
    pub(in crate::laws) fn of(self, value: Value) -> Real {
        if self.wraps { Real::of(value) } else { Real::of(value).unbounded() }
    }

    /// Returns the operands of a line. If the line cannot wrap, unbounded integers become values of their
    /// types, provided that all of them fit.
    pub(super) fn operands<'a>(
        self,
        func: &Func,
        line: &Line,
        known: &'a [Real],
    ) -> impl Fn(Id) -> Real + 'a {
        let types: Vec<_> = line.node.operands().map(|id| (id, func.ty(id))).collect();
        let held = |&(Id(id), ty): &(Id, Scalar)| Some((Id(id), known[id as usize].held_in(ty)?));
        let ends = !self.wraps && !may_lose(func, line);
        let held: Option<Vec<_>> = if ends { types.iter().map(held).collect() } else { None };
        move |operand| {
            let held = held.iter().flatten().find(|(id, _)| *id == operand);
            held.map_or(known[operand.0 as usize], |(_, real)| *real)
        }
    }

    /// Returns the result of a line, given the result of its operation: integers become unbounded, and quotients of
    /// integers are truncated.
    pub(super) fn result(self, line: &Line, result: Real) -> Real {
        if self.wraps || !line.ty.is_integer() {
            return result;
        }
        match line.node {
            Node::Bin(Bin::Div, ..) => result.unbounded().real_function(Un::Trunc, line.ty),
            Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cmp(..) => result.unbounded(),
            Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => result.unbounded(),
        }
    }
}

impl Real {
    /// Returns the integer as an unbounded one.
    fn unbounded(self) -> Real {
        let integer = |value: Value| value.as_int().filter(|_| value.ty().is_integer());
        match self {
            Real::Value(value) => integer(value).map_or(self, |it| Real::Exact(Ratio::whole(it))),
            Real::Exact(_) | Real::Ball(_) | Real::Infinite { .. } | Real::Unknown => self,
        }
    }

    /// Returns the number as a scalar of that type, if it fits.
    fn held_in(self, ty: Scalar) -> Option<Real> {
        if !ty.is_integer() {
            return Some(self);
        }
        let whole = self.as_whole()?;
        let value = Value::from_bits(ty, whole as u64);
        (value.as_int() == Some(whole)).then_some(Real::Value(value))
    }

    /// Computes an operation on the bits of integers that exceed their type.
    pub(super) fn wide(self, op: Bin, other: Real) -> Real {
        let result = self.as_whole().zip(other.as_whole()).and_then(|(a, b)| wide(op, a, b));
        result.map_or(Real::Unknown, |it| Real::Exact(Ratio::whole(it)))
    }

    fn as_whole(self) -> Option<i128> {
        match self {
            Real::Exact(x) => x.as_whole(),
            Real::Value(_) | Real::Ball(_) | Real::Infinite { .. } | Real::Unknown => None,
        }
    }
}

fn wide(op: Bin, a: i128, b: i128) -> Option<i128> {
    match op {
        Bin::Rem => a.checked_rem(b),
        Bin::And => Some(a & b),
        Bin::Or => Some(a | b),
        Bin::Xor => Some(a ^ b),
        Bin::Shl => a.checked_mul(1i128.checked_shl(b.try_into().ok()?)?),
        Bin::Shr => a.checked_shr(b.try_into().ok()?),
        Bin::Add | Bin::Sub | Bin::Mul | Bin::Div => None,
        Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => None,
        Bin::Powf | Bin::Hypot | Bin::Atan2 => None,
    }
}
