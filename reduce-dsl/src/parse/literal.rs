//! Numbers as they are written, and their values once the type is known.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use crate::{Scalar, Value};
use half::{bf16, f16};
use std::fmt;
use syn::Lit;

/// A number as it is written. It takes its type from its suffix, or from what is around it.
pub(super) struct Number {
    digits: String,
    negative: bool,
    /// Does it have a point or an exponent?
    pub(super) is_float: bool,
    /// The type that its suffix says.
    pub(super) suffix: Option<Scalar>,
}

impl Number {
    /// Reads a literal after an optional sign; the error says what it is instead.
    pub(super) fn read(literal: &Lit, negative: bool) -> Result<Number, String> {
        let (digits, suffix, is_float) = match literal {
            Lit::Int(int) => (int.base10_digits(), int.suffix(), false),
            Lit::Float(float) => (float.base10_digits(), float.suffix(), true),
            _ => return Err("a closure computes with numbers; write one, as in `2.0`".to_owned()),
        };
        let scalar = Scalar::from_name(suffix).filter(|ty| ty.is_number());
        if scalar.is_none() && !suffix.is_empty() {
            return Err(format!("`{suffix}` is not a type that numbers have here"));
        }
        Ok(Number { digits: digits.to_owned(), negative, is_float, suffix: scalar })
    }

    /// The type that the number has if nothing around it says another: Rust's default.
    pub(super) fn default_type(&self) -> Scalar {
        self.suffix.unwrap_or(if self.is_float { Scalar::F64 } else { Scalar::I32 })
    }

    /// The value, in that type; the error says why there is none.
    pub(super) fn value(&self, ty: Scalar) -> Result<Value, String> {
        match self.suffix {
            Some(suffix) if suffix != ty => Err(format!("`{self}` is {suffix}, and {ty} is expected")),
            None if self.is_float && !ty.is_float() => {
                Err(format!("`{self}` is a float, and {ty} is expected"))
            }
            None if !self.is_float && ty.is_float() => {
                Err(format!("`{self}` is an integer, and {ty} is expected; write `{self}.0`"))
            }
            None if ty == Scalar::Bool => Err(format!("`{self}` is an integer, and bool is expected")),
            _ => self.parse(ty).ok_or_else(|| format!("`{self}` is out of range for {ty}")),
        }
    }

    fn parse(&self, ty: Scalar) -> Option<Value> {
        let text = self.to_string();
        match ty {
            Scalar::F16 => text.parse().ok().map(f16::from_f64).filter(|x| x.is_finite()).map(Value::of),
            Scalar::Bf16 => text.parse().ok().map(bf16::from_f64).filter(|x| x.is_finite()).map(Value::of),
            Scalar::F32 => text.parse().ok().filter(|x: &f32| x.is_finite()).map(Value::of),
            Scalar::F64 => text.parse().ok().filter(|x: &f64| x.is_finite()).map(Value::of),
            Scalar::I8 => text.parse::<i8>().ok().map(Value::of),
            Scalar::I16 => text.parse::<i16>().ok().map(Value::of),
            Scalar::I32 => text.parse::<i32>().ok().map(Value::of),
            Scalar::I64 => text.parse::<i64>().ok().map(Value::of),
            Scalar::U8 => text.parse::<u8>().ok().map(Value::of),
            Scalar::U16 => text.parse::<u16>().ok().map(Value::of),
            Scalar::U32 => text.parse::<u32>().ok().map(Value::of),
            Scalar::U64 => text.parse::<u64>().ok().map(Value::of),
            Scalar::Bool => None,
        }
    }
}

/// As it is written, without its suffix.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.negative { "-" } else { "" }, self.digits)
    }
}
