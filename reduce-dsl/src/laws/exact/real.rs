//! Arithmetic and order of real numbers and ±∞.

use super::Real;
use crate::laws::ball::Ball;
use crate::laws::ratio::Ratio;
use reduce_ir::ops::{Bin, Un};
use reduce_ir::{Scalar, Value};
use std::cmp::Ordering;

pub(super) const ZERO: Real = Real::Exact(Ratio::whole(0));
pub(super) const INFINITY: Real = Real::Infinite { negative: false };

impl Real {
    /// Returns the order of two floats, if it is known.
    pub(super) fn order(self, other: Real) -> Option<Ordering> {
        if let (Real::Exact(a), Real::Exact(b)) = (self, other)
            && let Some(order) = a.compare(b)
        {
            return Some(order);
        }
        match (self.rank()?, other.rank()?) {
            (0, 0) => self.ball()?.compare(other.ball()?),
            (left, right) => Some(left.cmp(&right)),
        }
    }

    pub(super) fn real_operation(self, op: Bin, other: Real) -> Real {
        match op {
            Bin::Add => self.add(other),
            Bin::Sub => self.add(other.neg()),
            Bin::Mul => self.mul(other),
            Bin::Div => self.div(other),
            Bin::Max | Bin::MaxNum => self.max(other),
            Bin::Min | Bin::MinNum => self.neg().max(other.neg()).neg(),
            Bin::Powf => self.powf(other),
            Bin::Hypot => self.hypot(other),
            Bin::Atan2 => self.numbers(other, |_, _| None, Ball::atan2),
            Bin::Rem | Bin::And | Bin::Or | Bin::Xor | Bin::Shl | Bin::Shr => self.wide(op, other),
        }
    }

    pub(super) fn real_function(self, op: Un, to: Scalar) -> Real {
        match op {
            Un::Neg => self.neg(),
            Un::Abs => self.abs(),
            Un::Canonical => self,
            Un::Sqrt => self.sqrt(),
            Un::Exp => self.exp(),
            Un::Ln => self.ln(),
            Un::Exp2 | Un::Log2 | Un::ExpM1 | Un::Ln1p => self.function(op),
            Un::Sin | Un::Cos | Un::Tan | Un::Tanh => self.function(op),
            Un::Floor => self.to_whole(f64::floor, |x| Some(x.floor())),
            Un::Ceil => self.to_whole(f64::ceil, |x| x.neg()?.floor().checked_neg()),
            Un::Trunc => self.to_whole(f64::trunc, truncated),
            Un::RoundTiesEven => self.to_whole(f64::round_ties_even, nearest),
            Un::IsNan => Real::Value(Value::of(false)),
            Un::ToBits => self.to_bits(to),
            Un::Not | Un::FromBits => Real::Unknown,
            Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => Real::Unknown,
        }
    }

    /// Returns the number with an error bound, if it is a finite number.
    pub(super) fn ball(self) -> Option<Ball> {
        match self {
            Real::Exact(x) => x.as_float().map(Ball::exactly).or_else(|| Ball::rounded(x.to_f64())),
            Real::Ball(x) => Some(x),
            Real::Value(_) | Real::Infinite { .. } | Real::Unknown => None,
        }
    }

    /// Returns −1 for −∞, 0 for numbers, 1 for +∞.
    fn rank(self) -> Option<i8> {
        match self {
            Real::Exact(_) | Real::Ball(_) => Some(0),
            Real::Infinite { negative } => Some(if negative { -1 } else { 1 }),
            Real::Value(_) | Real::Unknown => None,
        }
    }

    /// Computes on fractions, or if their range is exceeded, on numbers with an error bound.
    pub(super) fn numbers(
        self,
        other: Real,
        exact: impl Fn(Ratio, Ratio) -> Option<Ratio>,
        near: impl Fn(Ball, Ball) -> Option<Ball>,
    ) -> Real {
        if let (Real::Exact(a), Real::Exact(b)) = (self, other)
            && let Some(result) = exact(a, b)
        {
            return Real::Exact(result);
        }
        let bounded = self.ball().zip(other.ball()).and_then(|(a, b)| near(a, b));
        bounded.map_or(Real::Unknown, Real::Ball)
    }

    pub(super) fn neg(self) -> Real {
        match self {
            Real::Exact(x) => x.neg().map_or(Real::Unknown, Real::Exact),
            Real::Ball(x) => Real::Ball(x.neg()),
            Real::Infinite { negative } => Real::Infinite { negative: !negative },
            Real::Value(_) | Real::Unknown => Real::Unknown,
        }
    }

    pub(super) fn abs(self) -> Real {
        match self {
            Real::Exact(x) if x.is_negative() => self.neg(),
            Real::Ball(x) => Real::Ball(x.abs()),
            Real::Infinite { .. } => INFINITY,
            Real::Exact(_) | Real::Value(_) | Real::Unknown => self,
        }
    }

    fn add(self, other: Real) -> Real {
        match (self, other) {
            (Real::Infinite { .. }, Real::Infinite { .. }) if self != other => Real::Unknown,
            (infinite @ Real::Infinite { .. }, _) | (_, infinite @ Real::Infinite { .. }) => infinite,
            _ => self.numbers(other, Ratio::add, Ball::add),
        }
    }

    fn mul(self, other: Real) -> Real {
        if self.rank() == Some(0) && other.rank() == Some(0) {
            return self.numbers(other, Ratio::mul, Ball::mul);
        }
        match (self.order(ZERO), other.order(ZERO)) {
            (Some(Ordering::Equal), _) | (_, Some(Ordering::Equal)) | (None, _) | (_, None) => Real::Unknown,
            (Some(a), Some(b)) => Real::Infinite { negative: a != b },
        }
    }

    fn div(self, other: Real) -> Real {
        match (self, other) {
            (Real::Infinite { .. }, Real::Infinite { .. }) => Real::Unknown,
            (_, Real::Infinite { .. }) => ZERO,
            (Real::Infinite { .. }, _) => self.mul(other),
            _ => self.numbers(other, |a, b| a.mul(b.inverse()?), Ball::div),
        }
    }

    fn max(self, other: Real) -> Real {
        match self.order(other) {
            Some(Ordering::Less) => other,
            Some(Ordering::Equal | Ordering::Greater) => self,
            None => self.numbers(other, |_, _| None, |a, b| Some(a.max(b))),
        }
    }

    fn sqrt(self) -> Real {
        if self == INFINITY {
            return self;
        }
        self.numbers(self, |x, _| x.root(), |x, _| x.sqrt())
    }

    fn exp(self) -> Real {
        match self {
            Real::Infinite { negative } => {
                if negative {
                    ZERO
                } else {
                    self
                }
            }
            Real::Exact(x) if x.is_zero() => Real::Exact(Ratio::whole(1)),
            Real::Exact(_) | Real::Ball(_) | Real::Value(_) | Real::Unknown => {
                self.numbers(self, |_, _| None, |x, _| x.exp())
            }
        }
    }

    fn ln(self) -> Real {
        match self {
            Real::Infinite { negative } => {
                if negative {
                    Real::Unknown
                } else {
                    self
                }
            }
            Real::Exact(x) if x.is_zero() => INFINITY.neg(),
            Real::Exact(x) if x == Ratio::whole(1) => ZERO,
            Real::Exact(_) | Real::Ball(_) | Real::Value(_) | Real::Unknown => {
                self.numbers(self, |_, _| None, |x, _| x.ln())
            }
        }
    }

    fn to_whole(self, float: fn(f64) -> f64, exact: impl Fn(Ratio) -> Option<i128>) -> Real {
        if let Real::Exact(x) = self {
            return exact(x).map_or(Real::Unknown, |whole| Real::Exact(Ratio::whole(whole)));
        }
        let whole = || self.ball().and_then(|x| x.to_whole(float));
        if matches!(self, Real::Infinite { .. }) {
            self
        } else {
            whole().map_or(Real::Unknown, Real::of_finite)
        }
    }
}

/// Rounds to a whole number towards zero.
pub(super) fn truncated(x: Ratio) -> Option<i128> {
    if x.is_negative() { x.neg()?.floor().checked_neg() } else { Some(x.floor()) }
}

/// Rounds to the nearest whole number, ties to even.
fn nearest(x: Ratio) -> Option<i128> {
    let half = Ratio::of(1, 2)?;
    let above = x.add(half)?;
    let is_tie = above.as_whole().is_some();
    let rounded = above.floor();
    Some(if is_tie && rounded % 2 != 0 { rounded - 1 } else { rounded })
}
