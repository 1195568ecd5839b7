//! The methods of closures, each with its receiver types and result type.

use reduce_ir::Scalar;

/// A method: its name and arguments, the types that have it, and its result.
pub(super) type Method = (&'static str, fn(Scalar) -> bool, Gives);

/// The type of a result. In the text of a method `$` stands for a value of the receiver's type, `#` for a shift distance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Same,
    Bits,
    Bool,
    Count,
}

pub(super) const METHODS: &[Method] = &[
    ("abs()", Scalar::is_float, Gives::Same),
    ("abs()", Scalar::is_signed, Gives::Same),
    ("sqrt()", Scalar::is_float, Gives::Same),
    ("exp()", Scalar::is_float, Gives::Same),
    ("ln()", Scalar::is_float, Gives::Same),
    ("floor()", Scalar::is_float, Gives::Same),
    ("ceil()", Scalar::is_float, Gives::Same),
    ("trunc()", Scalar::is_float, Gives::Same),
    ("round_ties_even()", Scalar::is_float, Gives::Same),
    ("round()", Scalar::is_float, Gives::Same),
    ("fract()", Scalar::is_float, Gives::Same),
    ("recip()", Scalar::is_float, Gives::Same),
    ("signum()", Scalar::is_float, Gives::Same),
    ("signum()", Scalar::is_signed, Gives::Same),
    ("min($)", Scalar::is_number, Gives::Same),
    ("max($)", Scalar::is_number, Gives::Same),
    ("minimum($)", Scalar::is_float, Gives::Same),
    ("maximum($)", Scalar::is_float, Gives::Same),
    ("mul_add($, $)", Scalar::is_float, Gives::Same),
    ("powi(3)", Scalar::is_float, Gives::Same),
    ("powi(0)", Scalar::is_float, Gives::Same),
    ("pow(3)", Scalar::is_integer, Gives::Same),
    ("copysign($)", Scalar::is_float, Gives::Same),
    ("clamp(0.5, 2.0)", Scalar::is_float, Gives::Same),
    ("clamp(1, 9)", Scalar::is_integer, Gives::Same),
    ("is_nan()", Scalar::is_float, Gives::Bool),
    ("is_finite()", Scalar::is_float, Gives::Bool),
    ("is_infinite()", Scalar::is_float, Gives::Bool),
    ("is_sign_negative()", Scalar::is_float, Gives::Bool),
    ("is_sign_positive()", Scalar::is_float, Gives::Bool),
    ("to_bits()", Scalar::is_float, Gives::Bits),
    ("is_positive()", Scalar::is_signed, Gives::Bool),
    ("is_negative()", Scalar::is_signed, Gives::Bool),
    ("is_power_of_two()", Scalar::is_unsigned, Gives::Bool),
    ("abs_diff($)", Scalar::is_integer, Gives::Bits),
    ("count_ones()", Scalar::is_integer, Gives::Count),
    ("count_zeros()", Scalar::is_integer, Gives::Count),
    ("leading_zeros()", Scalar::is_integer, Gives::Count),
    ("trailing_zeros()", Scalar::is_integer, Gives::Count),
    ("wrapping_add($)", Scalar::is_integer, Gives::Same),
    ("wrapping_sub($)", Scalar::is_integer, Gives::Same),
    ("wrapping_mul($)", Scalar::is_integer, Gives::Same),
    ("wrapping_neg()", Scalar::is_integer, Gives::Same),
    ("wrapping_abs()", Scalar::is_signed, Gives::Same),
    ("wrapping_shl(#)", Scalar::is_integer, Gives::Same),
    ("wrapping_shr(#)", Scalar::is_integer, Gives::Same),
    ("rotate_left(#)", Scalar::is_integer, Gives::Same),
    ("rotate_right(#)", Scalar::is_integer, Gives::Same),
    ("saturating_add($)", Scalar::is_integer, Gives::Same),
    ("saturating_sub($)", Scalar::is_integer, Gives::Same),
];

impl Gives {
    /// Returns the result type for a receiver.
    pub(super) fn ty(self, receiver: Scalar) -> Scalar {
        match self {
            Gives::Same => receiver,
            Gives::Bits => receiver.bits_type(),
            Gives::Bool => Scalar::Bool,
            Gives::Count => Scalar::U32,
        }
    }
}
