//! Number literals, and their values once the type is known.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::forms;
use half::{bf16, f16};
use reduce_ir::{Scalar, Value, constants};
use std::fmt;
use syn::Lit;

/// A number literal. Its suffix or its context determines its type.
pub(super) struct Number {
    /// The literal without sign and suffix.
    written: String,
    /// The literal in decimal digits.
    digits: String,
    negative: bool,
    /// Whether the literal has a point, an exponent or a float suffix.
    pub(super) is_float: bool,
    /// The type of the suffix.
    pub(super) suffix: Option<Scalar>,
}

impl Number {
    /// Reads a literal after an optional sign. The error is a message and its help.
    pub(super) fn read(literal: &Lit, negative: bool) -> Result<Number, (String, String)> {
        let (token, digits, suffix, is_float) = match literal {
            Lit::Int(int) => (int.to_string(), int.base10_digits(), int.suffix(), false),
            Lit::Float(float) => (float.to_string(), float.base10_digits(), float.suffix(), true),
            other => return Err(no_number(other)),
        };
        let scalar = forms::scalar(suffix).filter(|ty| ty.is_number());
        match scalar {
            None if !suffix.is_empty() => Err((
                format!("`{suffix}` is not a numeric type here"),
                "write `f32`, `i64`, `u8` or another numeric type".to_owned(),
            )),
            Some(ty) if is_float && !ty.is_float() => Err((
                format!("`{digits}` is a float, and {ty} is an integer type"),
                format!("write `{digits} as {ty}`"),
            )),
            _ => Ok(Number {
                written: token.strip_suffix(suffix).unwrap_or(&token).to_owned(),
                digits: digits.to_owned(),
                negative,
                is_float: is_float || scalar.is_some_and(Scalar::is_float),
                suffix: scalar,
            }),
        }
    }

    /// Returns the value of an integer.
    pub(super) fn integer(&self) -> Option<i128> {
        if self.is_float { None } else { self.decimal().parse().ok() }
    }

    /// Returns the literal with a type as its suffix.
    pub(super) fn typed(&self, ty: Scalar) -> String {
        if ty.is_float() { format!("{}{ty}", self.float()) } else { format!("{self}{ty}") }
    }

    /// Returns the literal as a float.
    pub(super) fn float(&self) -> String {
        format!("{}{}", self.decimal(), if self.is_float { "" } else { ".0" })
    }

    fn decimal(&self) -> String {
        format!("{}{}", self.sign(), self.digits)
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }

    /// Returns the value in that type. The error is a message and its help.
    pub(super) fn value(&self, ty: Scalar) -> Result<Value, (String, String)> {
        let expected = |what: &str| format!("`{self}` is {what}, and {ty} is expected");
        match self.suffix {
            Some(suffix) if suffix != ty => {
                Err((expected(suffix.name()), format!("write `{}`", self.typed(ty))))
            }
            None if self.is_float && !ty.is_float() => {
                Err((expected("a float"), "write an integer".to_owned()))
            }
            None if ty == Scalar::Bool => Err((expected("an integer"), "write `true` or `false`".to_owned())),
            None if !self.is_float && ty.is_float() => {
                Err((expected("an integer"), format!("write `{}`", self.float())))
            }
            _ => self.parse(ty).ok_or_else(|| (format!("`{self}` is out of range for {ty}"), range(ty))),
        }
    }

    fn parse(&self, ty: Scalar) -> Option<Value> {
        let text = self.decimal();
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

/// Returns the range of a type in words.
fn range(ty: Scalar) -> String {
    let value = |name| constants::constant(ty, name).map(|value| value.to_string()).unwrap_or_default();
    format!("{ty} goes from {} to {}", value("MIN"), value("MAX"))
}

/// Returns the error for a literal that is not a number.
fn no_number(literal: &Lit) -> (String, String) {
    let (message, help) = match literal {
        Lit::Char(_) => ("there are no characters here", "write the number, as in `65u8`"),
        Lit::Byte(byte) => {
            return ("a byte is written as a number here".to_owned(), format!("write `{}u8`", byte.value()));
        }
        Lit::Bool(_) => ("bool has no sign", "write `!`"),
        _ => ("there are no strings here", "a closure computes with numbers, as in `2.0`"),
    };
    (message.to_owned(), help.to_owned())
}

/// Prints the literal as written, without its suffix.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sign(), self.written)
    }
}
