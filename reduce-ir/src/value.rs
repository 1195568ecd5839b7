//! A scalar value with its type: literals, identities, results.

use crate::Scalar;
use crate::arith::Element;
use crate::func::literal;
use half::{bf16, f16};
use std::fmt;

/// A value of a scalar type, stored as bits. Values are equal if type and bits are equal, so NaN equals itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value {
    ty: Scalar,
    bits: u64,
}

/// A constant of the user that closures take for a `T`: a `usize` is a `u64`.
#[diagnostic::on_unimplemented(
    message = "this constant is of type `{Self}`, and the closure takes it for `{T}`",
    note = "convert it in the closure, as in `K as {T}`"
)]
pub trait Constant<T> {
    /// Returns its value.
    fn element(self) -> T;
}

impl<T: Element> Constant<T> for T {
    fn element(self) -> T {
        self
    }
}

impl Constant<u64> for usize {
    fn element(self) -> u64 {
        self as u64
    }
}

impl Constant<i64> for isize {
    fn element(self) -> i64 {
        self as i64
    }
}

/// A constant of the user whose type closures do not decide: a scalar, where a `usize` is a `u64`, or an array of scalars.
#[diagnostic::on_unimplemented(
    message = "this constant is of type `{Self}`; closures may use scalars, and arrays of scalars"
)]
pub trait ConstantOrArray {
    /// Returns its value, or its values.
    fn values(self) -> Values;
}

/// A constant of the user that is a scalar.
pub trait ScalarConstant {
    /// Returns its value.
    fn value(self) -> Value;
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// A scalar.
    One(Value),
    /// An array of scalars.
    Array(Vec<Value>),
}

impl<T: Element> ScalarConstant for T {
    fn value(self) -> Value {
        Value::of(self)
    }
}

impl ScalarConstant for usize {
    fn value(self) -> Value {
        Value::of(self as u64)
    }
}

impl ScalarConstant for isize {
    fn value(self) -> Value {
        Value::of(self as i64)
    }
}

impl<T: ScalarConstant> ConstantOrArray for T {
    fn values(self) -> Values {
        Values::One(self.value())
    }
}

impl<T: ScalarConstant, const N: usize> ConstantOrArray for [T; N] {
    fn values(self) -> Values {
        Values::Array(self.into_iter().map(T::value).collect())
    }
}

/// Prints literals, as in a specification.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::One(value) => f.write_str(&literal(*value)),
            Values::Array(values) => {
                let values: Vec<_> = values.iter().map(|&value| literal(value)).collect();
                write!(f, "[{}]", values.join(", "))
            }
        }
    }
}

impl Value {
    /// Creates the value of a Rust scalar.
    pub fn of<T: Element>(value: T) -> Value {
        Value { ty: T::TY, bits: value.to_bits64() }
    }

    /// Creates the value of a constant of the user, as the type that closures take it for.
    pub fn of_constant<T: Element>(value: impl Constant<T>) -> Value {
        Value::of(value.element())
    }

    /// Creates the value of type `ty` with those bits; bits beyond its size are dropped.
    pub fn from_bits(ty: Scalar, bits: u64) -> Value {
        let kept = if ty == Scalar::Bool { 1 } else { u64::MAX >> (64 - 8 * ty.size()) };
        Value { ty, bits: bits & kept }
    }

    /// Parses a value of type `ty` as Rust does. Accepts the output of [`Display`](fmt::Display), and other spellings.
    pub fn parse(ty: Scalar, text: &str) -> Option<Value> {
        match ty {
            Scalar::Bool => text.parse().ok().map(Value::of::<bool>),
            Scalar::F16 => text.parse().ok().map(f16::from_f64).map(Value::of),
            Scalar::Bf16 => text.parse().ok().map(bf16::from_f64).map(Value::of),
            Scalar::F32 => text.parse().ok().map(Value::of::<f32>),
            Scalar::F64 => text.parse().ok().map(Value::of::<f64>),
            Scalar::I8 => text.parse().ok().map(Value::of::<i8>),
            Scalar::I16 => text.parse().ok().map(Value::of::<i16>),
            Scalar::I32 => text.parse().ok().map(Value::of::<i32>),
            Scalar::I64 => text.parse().ok().map(Value::of::<i64>),
            Scalar::U8 => text.parse().ok().map(Value::of::<u8>),
            Scalar::U16 => text.parse().ok().map(Value::of::<u16>),
            Scalar::U32 => text.parse().ok().map(Value::of::<u32>),
            Scalar::U64 => text.parse().ok().map(Value::of::<u64>),
        }
    }

    /// Returns the type.
    pub fn ty(self) -> Scalar {
        self.ty
    }

    /// Returns the bits, in the low end of a word.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// Returns the Rust value, if `T` is this value's type.
    pub fn get<T: Element>(self) -> Option<T> {
        (T::TY == self.ty).then(|| T::from_bits64(self.bits))
    }

    /// Returns the bits as lower-case hexadecimal, most significant digit first, one digit for each four bits.
    pub fn hex(self) -> String {
        format!("{:0width$x}", self.bits, width = 2 * self.ty.size())
    }

    /// Returns whether it is a float NaN.
    pub fn is_nan(self) -> bool {
        self.as_f64().is_some_and(f64::is_nan)
    }

    /// Returns an integer or `bool` as `i128`; `None` for floats.
    pub fn as_int(self) -> Option<i128> {
        let shift = 64 - 8 * self.ty.size() as u32;
        match self.ty {
            Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => None,
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
                Some(i128::from(self.bits.cast_signed() << shift >> shift))
            }
            Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Some(self.bits.into()),
        }
    }

    /// Returns a float as `f64`, which is exact for every float type; `None` for integers and `bool`.
    pub fn as_f64(self) -> Option<f64> {
        match self.ty {
            Scalar::F16 => Some(f64::from(f16::from_bits64(self.bits))),
            Scalar::Bf16 => Some(f64::from(bf16::from_bits64(self.bits))),
            Scalar::F32 => Some(f64::from(f32::from_bits64(self.bits))),
            Scalar::F64 => Some(f64::from_bits(self.bits)),
            Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => None,
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => None,
        }
    }
}

/// Prints Rust's shortest text that reads back as the same value: `0.1`, `-inf`, `NaN`, `-3`, `true`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            Scalar::Bool => write!(f, "{}", self.bits == 1),
            Scalar::F16 => write!(f, "{:?}", f32::from(f16::from_bits64(self.bits))),
            Scalar::Bf16 => write!(f, "{:?}", f32::from(bf16::from_bits64(self.bits))),
            Scalar::F32 => write!(f, "{:?}", f32::from_bits64(self.bits)),
            Scalar::F64 => write!(f, "{:?}", f64::from_bits(self.bits)),
            Scalar::I8 => write!(f, "{}", i8::from_bits64(self.bits)),
            Scalar::I16 => write!(f, "{}", i16::from_bits64(self.bits)),
            Scalar::I32 => write!(f, "{}", i32::from_bits64(self.bits)),
            Scalar::I64 => write!(f, "{}", i64::from_bits64(self.bits)),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => write!(f, "{}", self.bits),
        }
    }
}

/// Prints the text of [`Display`](fmt::Display), and the type: `0.1f32`.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}{}", self.ty)
    }
}

/// Converts as [`Value::of`] does.
impl<T: Element> From<T> for Value {
    fn from(value: T) -> Value {
        Value::of(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_shows_its_type_where_it_is_debugged() {
        assert_eq!(format!("{:?}", [Value::of(7.0f32), Value::of(-3i8)].as_slice()), "[7.0f32, -3i8]");
    }

    #[test]
    fn what_prints_reads_back() {
        for ty in Scalar::ALL {
            for bits in
                [0, 1, 0x0b, 0x7b, 0x80, 0x7bff, 0x8001, 0x3f80_0001, 0x8000_0000, 1 << 63, u64::MAX >> 12]
            {
                let value = Value::from_bits(ty, bits);
                let back = Value::parse(ty, &value.to_string());
                assert!(back == Some(value) || value.is_nan(), "{ty}: {value} became {back:?}");
            }
            assert_eq!(Value::parse(ty, ""), None);
            assert_eq!(Value::parse(ty, "three"), None);
        }
        assert_eq!(Value::from(f16::ONE).to_string(), "1.0");
        assert_eq!(Value::parse(Scalar::I8, "128"), None);
        assert_eq!(Value::parse(Scalar::U32, "-1"), None);
        assert_eq!(Value::parse(Scalar::F32, "inf"), Some(Value::of(f32::INFINITY)));
    }
}
