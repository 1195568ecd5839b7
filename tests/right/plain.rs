//! What a reduction gives, computed by plain loops that share nothing with the library.

use super::data::values;
use reduce_dsl::lanes::Lanes;
use reduce_dsl::{Scalar, Value, bf16, f16};

/// The result by a loop from the first element to the last; `None` where nothing has no value. NaN results
/// have the bits that the contract names.
pub(crate) fn reduce(name: &str, inputs: &[Lanes]) -> Option<Vec<Value>> {
    let value = match inputs[0].ty() {
        Scalar::F16 => halves(name, inputs, f32::from, f16::from_f32),
        Scalar::Bf16 => halves(name, inputs, f32::from, bf16::from_f32),
        Scalar::F32 => {
            floats::<f32>(name, inputs, Value::of(f32::from_bits(0x7fc0_0000)), |it| Value::of(it as f32))
        }
        Scalar::F64 => floats::<f64>(name, inputs, Value::of(f64::from_bits(0x7ff8 << 48)), Value::of),
        Scalar::I8 => integers::<i8>(name, inputs),
        Scalar::I16 => integers::<i16>(name, inputs),
        Scalar::I32 => integers::<i32>(name, inputs),
        Scalar::U8 => integers::<u8>(name, inputs),
        Scalar::U16 => integers::<u16>(name, inputs),
        Scalar::U32 => integers::<u32>(name, inputs),
        Scalar::I64 => integers::<i64>(name, inputs),
        Scalar::U64 => integers::<u64>(name, inputs),
        Scalar::Bool => None,
    };
    value.map(|value| vec![value])
}

/// 16-bit floats through `f32`: sums, products and dot products are `f32`, the rest keeps its type.
fn halves<T: reduce_dsl::arith::Element>(
    name: &str,
    inputs: &[Lanes],
    widen: fn(T) -> f32,
    narrow: fn(f32) -> T,
) -> Option<Value> {
    let wide = |lanes: &Lanes| Lanes::from(values::<T>(lanes).into_iter().map(widen).collect::<Vec<_>>());
    let inputs: Vec<_> = inputs.iter().map(wide).collect();
    let value =
        floats::<f32>(name, &inputs, Value::of(f32::from_bits(0x7fc0_0000)), |it| Value::of(it as f32))?;
    match (name, value.get::<f32>()) {
        ("min" | "max", Some(it)) if it.is_nan() => reduce_dsl::constants::constant(T::TY, "NAN"),
        ("min" | "max", Some(it)) => Some(Value::of(narrow(it))),
        _ => Some(value),
    }
}

/// In `f64`, which holds every `f32` and every exact sum of the tests.
fn floats<T>(name: &str, inputs: &[Lanes], nan: Value, narrow: fn(f64) -> Value) -> Option<Value>
where
    T: reduce_dsl::arith::Element + Into<f64>,
{
    let x: Vec<f64> = values::<T>(&inputs[0]).into_iter().map(Into::into).collect();
    let better = |a: f64, b: f64| match name {
        "min" | "argmin" => a < b,
        _ => a > b,
    };
    let number = match name {
        "sum" => x.iter().fold(-0.0, |a, b| a + b),
        "prod" => x.iter().product(),
        "dot" => x.iter().zip(values::<T>(&inputs[1])).map(|(x, y)| x * y.into()).fold(-0.0, |a, b| a + b),
        "min" if x.is_empty() => f64::INFINITY,
        "max" if x.is_empty() => f64::NEG_INFINITY,
        "min" | "max" if x.iter().any(|it| it.is_nan()) => f64::NAN,
        // Zeros of both signs: `min` prefers −0, `max` prefers 0.
        "min" => x
            .iter()
            .copied()
            .reduce(|a, b| if better(b, a) || b == a && b.is_sign_negative() { b } else { a })?,
        "max" => x
            .iter()
            .copied()
            .reduce(|a, b| if better(b, a) || b == a && b.is_sign_positive() { b } else { a })?,
        "argmin" | "argmax" => {
            return Some(Value::of(position(&x, |a, b| a.is_nan() && !b.is_nan() || better(a, b))? as u64));
        }
        "any" => return Some(Value::of(x.iter().any(|&it| it != 0.0))),
        "all" => return Some(Value::of(x.iter().all(|&it| it != 0.0))),
        _ => return None,
    };
    Some(if number.is_nan() { nan } else { narrow(number) })
}

/// The first element that no element before is at least as good as.
fn position<T: Copy>(x: &[T], better: impl Fn(T, T) -> bool) -> Option<usize> {
    let mut best = 0;
    for i in 0..x.len() {
        // NaN is not better than NaN, and nothing is better than NaN.
        if better(x[i], x[best]) && !better(x[best], x[i]) {
            best = i;
        }
    }
    (!x.is_empty()).then_some(best)
}

fn integers<T>(name: &str, inputs: &[Lanes]) -> Option<Value>
where
    T: reduce_dsl::arith::Element + Ord + num::Bounds,
{
    let bits = |lanes: &Lanes| values::<T>(lanes).into_iter().map(|it| it.to_bits64()).collect::<Vec<_>>();
    let (x, values) = (bits(&inputs[0]), values::<T>(&inputs[0]));
    // Modulo 2^64, and so modulo every smaller power of two.
    let wrapped = match name {
        "sum" => x.iter().fold(0u64, |a, b| a.wrapping_add(*b)),
        "prod" => x.iter().fold(1u64, |a, b| a.wrapping_mul(*b)),
        "dot" => x.iter().zip(bits(&inputs[1])).fold(0u64, |a, (x, y)| a.wrapping_add(x.wrapping_mul(y))),
        "and" => x.iter().fold(u64::MAX, |a, b| a & b),
        "or" => x.iter().fold(0, |a, b| a | b),
        "xor" => x.iter().fold(0, |a, b| a ^ b),
        "min" => values.iter().copied().min().unwrap_or(T::MOST).to_bits64(),
        "max" => values.iter().copied().max().unwrap_or(T::LEAST).to_bits64(),
        "argmin" => return Some(Value::of(position(&values, |a, b| a < b)? as u64)),
        "argmax" => return Some(Value::of(position(&values, |a, b| a > b)? as u64)),
        "any" => return Some(Value::of(x.iter().any(|&it| it != 0))),
        "all" => return Some(Value::of(x.iter().all(|&it| it != 0))),
        _ => return None,
    };
    Some(Value::from_bits(T::TY, wrapped))
}

mod num {
    //! The least and the greatest integer of a type.

    pub(crate) trait Bounds {
        const LEAST: Self;
        const MOST: Self;
    }

    macro_rules! bounds {
        ($($ty:ty)*) => {
            $(impl Bounds for $ty {
                const LEAST: $ty = <$ty>::MIN;
                const MOST: $ty = <$ty>::MAX;
            })*
        };
    }

    bounds!(i8 i16 i32 i64 u8 u16 u32 u64);
}
