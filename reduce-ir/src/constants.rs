//! The constants of scalar types, by their Rust names: `f32::INFINITY`, `i8::MIN`.

use crate::{Scalar, Value};
use half::{bf16, f16};

/// The names of the constants of numbers.
pub const NAMES: [&str; 8] =
    ["MIN", "MAX", "BITS", "INFINITY", "NEG_INFINITY", "NAN", "EPSILON", "MIN_POSITIVE"];

/// Returns the value of `ty::name`, or `None` if there is no such constant. NaN is the canonical NaN.
pub fn constant(ty: Scalar, name: &str) -> Option<Value> {
    macro_rules! float {
        ($float:ident) => {
            Some(Value::of(match name {
                "MIN" => $float::MIN,
                "MAX" => $float::MAX,
                "INFINITY" => $float::INFINITY,
                "NEG_INFINITY" => $float::NEG_INFINITY,
                "NAN" => return Some(nan(ty)),
                "EPSILON" => $float::EPSILON,
                "MIN_POSITIVE" => $float::MIN_POSITIVE,
                _ => return None,
            }))
        };
    }
    match ty {
        Scalar::F16 => float!(f16),
        Scalar::Bf16 => float!(bf16),
        Scalar::F32 => float!(f32),
        Scalar::F64 => float!(f64),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => integer(ty, name),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => integer(ty, name),
        Scalar::Bool => None,
    }
}

fn integer(ty: Scalar, name: &str) -> Option<Value> {
    let bits = 8 * ty.size() as u64;
    let sign = if ty.is_signed() { 1 << (bits - 1) } else { 0 };
    match name {
        "MIN" => Some(Value::from_bits(ty, sign)),
        "MAX" => Some(Value::from_bits(ty, !sign)),
        "BITS" => Some(Value::from_bits(Scalar::U32, bits)),
        _ => None,
    }
}

/// Returns the canonical NaN of a float type: quiet, positive, no payload.
pub fn nan(ty: Scalar) -> Value {
    let (bits, exponent) = match ty.size() {
        2 if ty == Scalar::F16 => (16, 5),
        size @ (2 | 4) => (8 * size, 8),
        size => (8 * size, 11),
    };
    // Sets all bits of the exponent, and the highest bit of the fraction.
    Value::from_bits(ty, ((1 << (exponent + 1)) - 1) << (bits - exponent - 2))
}

/// Returns the neutral value of `min`: +∞, the greatest integer, or `true`.
pub fn greatest(ty: Scalar) -> Value {
    constant(ty, "INFINITY").or_else(|| constant(ty, "MAX")).unwrap_or(Value::of(true))
}

/// Returns the neutral value of `max`: −∞, the smallest integer, or `false`.
pub fn least(ty: Scalar) -> Value {
    constant(ty, "NEG_INFINITY").or_else(|| constant(ty, "MIN")).unwrap_or(Value::of(false))
}

/// Returns 0 (+0 for floats), or `false`.
pub fn zero(ty: Scalar) -> Value {
    Value::from_bits(ty, 0)
}

/// Returns the neutral value of addition: −0.0 for floats, so that a sum of −0.0 stays −0.0.
pub fn negative_zero(ty: Scalar) -> Value {
    let sign = if ty.is_float() { 1 << (8 * ty.size() - 1) } else { 0 };
    Value::from_bits(ty, sign)
}

/// Returns 1, or `true`.
pub fn one(ty: Scalar) -> Value {
    match ty {
        Scalar::F16 => Value::of(f16::ONE),
        Scalar::Bf16 => Value::of(bf16::ONE),
        Scalar::F32 => Value::of(1.0f32),
        Scalar::F64 => Value::of(1.0f64),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => Value::from_bits(ty, 1),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Value::from_bits(ty, 1),
    }
}

/// Returns powers of two that keep intermediate results within the range of a float, with their names.
///
/// | name | use |
/// |---|---|
/// | `DOWN`, `UP` | 2⁻⁶⁴ and 2⁶⁴: 2⁶⁴ numbers of any size, scaled down, have a finite sum |
/// | `SHRINK` | scales numbers whose squares overflow |
/// | `GROW` | scales numbers whose squares underflow |
/// | `SAFE` | a sum of squares that is at least this large has lost nothing to underflow |
///
/// The squares of 2⁴⁶ numbers that are scaled by `SHRINK` have a finite sum, for all numbers. The same holds for numbers scaled
/// by `GROW`, if the plain sum is below `SAFE`.
pub fn scales(ty: Scalar) -> [(&'static str, Value); 5] {
    let [shrink, grow, safe] = if ty == Scalar::F64 { [-600, 600, -900] } else { [-90, 100, -80] };
    let power = |exponent: i32| {
        if ty == Scalar::F64 {
            Value::of(2f64.powi(exponent))
        } else if ty == Scalar::F32 {
            Value::of(2f32.powi(exponent))
        } else {
            one(ty)
        }
    };
    [("DOWN", -64), ("UP", 64), ("SHRINK", shrink), ("GROW", grow), ("SAFE", safe)]
        .map(|(name, exponent)| (name, power(exponent)))
}
