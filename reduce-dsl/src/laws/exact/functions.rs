//! Functions of real numbers and ±∞ that have exact values for few arguments.

use super::Real;
use super::real::{INFINITY, ZERO};
use crate::laws::ball::Ball;
use crate::laws::ratio::Ratio;
use reduce_ir::ops::Un;
use std::cmp::Ordering;

const ONE: Real = Real::Exact(Ratio::whole(1));

impl Real {
    /// Applies a function that is neither `exp` nor `ln`.
    pub(super) fn function(self, op: Un) -> Real {
        self.exact_value(op).unwrap_or_else(|| {
            self.numbers(
                self,
                |_, _| None,
                |x, _| match op {
                    Un::Exp2 => x.exp2(),
                    Un::Log2 => x.log2(),
                    Un::ExpM1 => x.exp_m1(),
                    Un::Ln1p => x.ln_1p(),
                    Un::Sin => x.sin(),
                    Un::Cos => x.cos(),
                    Un::Tan => x.sin()?.div(x.cos()?),
                    Un::Tanh => x.tanh(),
                    Un::Neg | Un::Abs | Un::Not | Un::IsNan | Un::Canonical | Un::Sqrt | Un::Exp | Un::Ln => {
                        None
                    }
                    Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven | Un::ToBits | Un::FromBits => None,
                    Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => None,
                },
            )
        })
    }

    /// Returns the value at 0, at ±∞, and where the result is infinite.
    fn exact_value(self, op: Un) -> Option<Real> {
        let is = |number: i128| self == Real::Exact(Ratio::whole(number));
        match (op, self) {
            (Un::Sin | Un::Tan | Un::Tanh | Un::ExpM1 | Un::Ln1p, _) if is(0) => Some(ZERO),
            (Un::Cos | Un::Exp2, _) if is(0) => Some(ONE),
            (Un::Log2, _) if is(1) => Some(ZERO),
            (Un::Log2, _) if is(0) => Some(INFINITY.neg()),
            (Un::Ln1p, _) if is(-1) => Some(INFINITY.neg()),
            (Un::Exp2, Real::Infinite { negative: true }) => Some(ZERO),
            (Un::ExpM1 | Un::Tanh, Real::Infinite { negative: true }) => Some(ONE.neg()),
            (Un::Tanh, Real::Infinite { negative: false }) => Some(ONE),
            (Un::Exp2 | Un::ExpM1 | Un::Log2 | Un::Ln1p, Real::Infinite { negative: false }) => {
                Some(INFINITY)
            }
            _ => None,
        }
    }

    pub(super) fn powf(self, exponent: Real) -> Real {
        if exponent == ZERO || self == ONE {
            return ONE;
        }
        if exponent == ONE {
            return self;
        }
        match (self.order(ZERO), exponent.order(ZERO)) {
            (Some(Ordering::Equal), Some(Ordering::Greater)) => ZERO,
            _ => self.numbers(exponent, |_, _| None, |x, y| x.ln()?.mul(y)?.exp()),
        }
    }

    pub(super) fn hypot(self, other: Real) -> Real {
        match (self.abs(), other.abs()) {
            (INFINITY, _) | (_, INFINITY) => INFINITY,
            (ZERO, side) | (side, ZERO) => side,
            (a, b) => a.numbers(b, |_, _| None, Ball::hypot),
        }
    }
}
