//! The methods of closures, each with its receiver types and result type.

use reduce_ir::Scalar;

/// A method: its name and arguments, the types that have it, and its result.
pub(super) type Method = (&'static str, fn(Scalar) -> bool, ResultType);

/// The type of a result. In the text of a method `$` stands for a value of the receiver's type, `#` for a shift distance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultType {
    Same,
    Bits,
    Bool,
    Count,
}

pub(super) const METHODS: &[Method] = &[
    ("abs()", Scalar::is_float, ResultType::Same),
    ("abs()", Scalar::is_signed, ResultType::Same),
    ("sqrt()", Scalar::is_float, ResultType::Same),
    ("exp()", Scalar::is_float, ResultType::Same),
    ("ln()", Scalar::is_float, ResultType::Same),
    ("exp2()", Scalar::is_float, ResultType::Same),
    ("log2()", Scalar::is_float, ResultType::Same),
    ("exp_m1()", Scalar::is_float, ResultType::Same),
    ("ln_1p()", Scalar::is_float, ResultType::Same),
    ("sin()", Scalar::is_float, ResultType::Same),
    ("cos()", Scalar::is_float, ResultType::Same),
    ("tan()", is_single, ResultType::Same),
    ("tanh()", Scalar::is_float, ResultType::Same),
    ("powf($)", is_single, ResultType::Same),
    ("hypot($)", Scalar::is_float, ResultType::Same),
    ("atan2($)", is_single, ResultType::Same),
    ("floor()", Scalar::is_float, ResultType::Same),
    ("ceil()", Scalar::is_float, ResultType::Same),
    ("trunc()", Scalar::is_float, ResultType::Same),
    ("round_ties_even()", Scalar::is_float, ResultType::Same),
    ("round()", Scalar::is_float, ResultType::Same),
    ("fract()", Scalar::is_float, ResultType::Same),
    ("recip()", Scalar::is_float, ResultType::Same),
    ("signum()", Scalar::is_float, ResultType::Same),
    ("signum()", Scalar::is_signed, ResultType::Same),
    ("min($)", Scalar::is_number, ResultType::Same),
    ("max($)", Scalar::is_number, ResultType::Same),
    ("minimum($)", Scalar::is_float, ResultType::Same),
    ("maximum($)", Scalar::is_float, ResultType::Same),
    ("mul_add($, $)", Scalar::is_float, ResultType::Same),
    ("powi(3)", Scalar::is_float, ResultType::Same),
    ("powi(0)", Scalar::is_float, ResultType::Same),
    ("pow(3)", Scalar::is_integer, ResultType::Same),
    ("copysign($)", Scalar::is_float, ResultType::Same),
    ("clamp(0.5, 2.0)", Scalar::is_float, ResultType::Same),
    ("clamp(1, 9)", Scalar::is_integer, ResultType::Same),
    ("is_nan()", Scalar::is_float, ResultType::Bool),
    ("is_finite()", Scalar::is_float, ResultType::Bool),
    ("is_infinite()", Scalar::is_float, ResultType::Bool),
    ("is_sign_negative()", Scalar::is_float, ResultType::Bool),
    ("is_sign_positive()", Scalar::is_float, ResultType::Bool),
    ("to_bits()", Scalar::is_float, ResultType::Bits),
    ("is_positive()", Scalar::is_signed, ResultType::Bool),
    ("is_negative()", Scalar::is_signed, ResultType::Bool),
    ("is_power_of_two()", Scalar::is_unsigned, ResultType::Bool),
    ("abs_diff($)", Scalar::is_integer, ResultType::Bits),
    ("count_ones()", Scalar::is_integer, ResultType::Count),
    ("count_zeros()", Scalar::is_integer, ResultType::Count),
    ("leading_zeros()", Scalar::is_integer, ResultType::Count),
    ("trailing_zeros()", Scalar::is_integer, ResultType::Count),
    ("wrapping_add($)", Scalar::is_integer, ResultType::Same),
    ("wrapping_sub($)", Scalar::is_integer, ResultType::Same),
    ("wrapping_mul($)", Scalar::is_integer, ResultType::Same),
    ("wrapping_neg()", Scalar::is_integer, ResultType::Same),
    ("wrapping_abs()", Scalar::is_signed, ResultType::Same),
    ("wrapping_shl(#)", Scalar::is_integer, ResultType::Same),
    ("wrapping_shr(#)", Scalar::is_integer, ResultType::Same),
    ("rotate_left(#)", Scalar::is_integer, ResultType::Same),
    ("rotate_right(#)", Scalar::is_integer, ResultType::Same),
    ("saturating_add($)", Scalar::is_integer, ResultType::Same),
    ("saturating_sub($)", Scalar::is_integer, ResultType::Same),
];

fn is_single(ty: Scalar) -> bool {
    ty == Scalar::F32
}

impl ResultType {
    /// Returns the result type for a receiver.
    pub(super) fn ty(self, receiver: Scalar) -> Scalar {
        match self {
            ResultType::Same => receiver,
            ResultType::Bits => receiver.bits_type(),
            ResultType::Bool => Scalar::Bool,
            ResultType::Count => Scalar::U32,
        }
    }
}
