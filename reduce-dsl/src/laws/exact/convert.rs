//! Conversion of values to real numbers, and casts.

use super::real::truncated;
use super::{Real, known};
use crate::laws::ball::Ball;
use crate::laws::ratio::Ratio;
use reduce_ir::constants::{greatest, least};
use reduce_ir::evaluate;
use reduce_ir::{Scalar, Value};

/// The unit roundoff of `f32`.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;
/// Half the smallest step of `f32`.
const STEP: f64 = f32::from_bits(1) as f64 / 2.0;

impl Real {
    /// Converts a scalar exactly, except for the sign of a zero.
    pub(in crate::laws) fn of(value: Value) -> Real {
        match value.as_f64() {
            None => Real::Value(value),
            Some(float) if float.is_finite() => Real::of_finite(float),
            Some(float) if float.is_nan() => Real::Unknown,
            Some(float) => Real::Infinite { negative: float < 0.0 },
        }
    }

    pub(super) fn of_finite(float: f64) -> Real {
        Ratio::of_float(float).map_or(Real::Ball(Ball::exactly(float)), Real::Exact)
    }

    pub(super) fn from_bits(bits: Value) -> Real {
        let ty = if bits.ty() == Scalar::U64 { Scalar::F64 } else { Scalar::F32 };
        Real::of(Value::from_bits(ty, bits.bits()))
    }

    /// Returns the bits, as type `to`, of a number that determines them; a zero does not.
    pub(super) fn to_bits(self, to: Scalar) -> Real {
        let float = match self {
            Real::Exact(x) if !x.is_zero() => x.as_float(),
            Real::Infinite { negative } => Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY }),
            Real::Exact(_) | Real::Ball(_) | Real::Value(_) | Real::Unknown => None,
        };
        let bits = match float {
            Some(float) if to == Scalar::U64 => Some(Value::of(float.to_bits())),
            Some(float) if f64::from(float as f32) == float => Some(Value::of((float as f32).to_bits())),
            Some(_) | None => None,
        };
        bits.map_or(Real::Unknown, Real::Value)
    }

    pub(super) fn cast(self, from: Scalar, to: Scalar) -> Real {
        if let Real::Value(a) = self {
            let cast = || known(evaluate::cast(a, to));
            return if to.is_float() { float_of(a, to) } else { cast() };
        }
        if to.is_integer() {
            // Only unbounded integers reach this line as real numbers.
            return if from.is_integer() { self } else { self.saturated(to) };
        }
        if from == Scalar::F64 && to == Scalar::F32 { self.narrowed() } else { self }
    }

    /// Rounds to `f32`. Numbers that `f32` represents stay exact.
    fn narrowed(self) -> Real {
        let fits = |x: Ratio| x.as_float().is_some_and(|float| f64::from(float as f32) == float);
        match self {
            Real::Exact(x) if fits(x) => self,
            Real::Infinite { .. } => self,
            Real::Exact(_) | Real::Ball(_) | Real::Value(_) | Real::Unknown => {
                self.ball().and_then(|x| x.to_unit(UNIT, STEP)).map_or(Real::Unknown, Real::Ball)
            }
        }
    }

    /// Truncates towards zero and clamps to the range of the integer type.
    fn saturated(self, to: Scalar) -> Real {
        let integer = match self {
            Real::Exact(x) => truncated(x),
            Real::Ball(x) => x.to_whole(f64::trunc).map(|float| float as i128),
            Real::Infinite { negative } => Some(if negative { i128::MIN } else { i128::MAX }),
            Real::Value(_) | Real::Unknown => None,
        };
        let range = least(to).as_int().zip(greatest(to).as_int());
        let clamped = integer.zip(range).map(|(it, (least, greatest))| it.clamp(least, greatest));
        clamped.map_or(Real::Unknown, |it| Real::Value(Value::from_bits(to, it as u64)))
    }
}

/// Converts an integer to a float: exactly, or if the float is rounded, with the rounding error as bound.
fn float_of(integer: Value, to: Scalar) -> Real {
    let float = evaluate::cast(integer, to).and_then(Value::as_f64);
    match float.zip(integer.as_int()) {
        Some((float, integer)) if float as i128 == integer => Real::Exact(Ratio::whole(integer)),
        Some((float, _)) => {
            let unit = if to == Scalar::F64 { f64::EPSILON } else { UNIT };
            Ball::exactly(float).to_unit(unit, 0.0).map_or(Real::Unknown, Real::Ball)
        }
        None => Real::Unknown,
    }
}
