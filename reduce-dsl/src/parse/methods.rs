//! The table of methods in closures, one row each. To add a method, add a row to [`METHODS`].
//!
//! A row is an operation, or the text of a closure in the language of specifications itself. Both return the
//! result of Rust's method of that name in release mode, for every value; only the bits of a NaN, which no
//! result shows, may differ. `clamp` panics in Rust for some bounds. Such bounds are refused here if they are
//! known; otherwise the upper bound wins, and a NaN bound has no effect. The texts do not wrap in intermediate
//! results, so every wrap that the [laws](crate::laws) may excuse is one that the user wrote.

use reduce_ir::Scalar;
use reduce_ir::ops::{Bin, Un};

/// A method that closures have.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// The types of the receiver.
    pub(crate) of: Domain,
    /// The types of the arguments.
    pub(crate) takes: &'static [Takes],
    /// The type of the result.
    pub(crate) gives: Gives,
    /// The operation that the method performs.
    pub(crate) is: Meaning,
}

/// The receiver types of a method.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    Floats,
    /// `f32` only: the library has the method in this precision.
    Singles,
    Integers,
    Signed,
    Unsigned,
    /// Floats, but only in text that rustc does not check: Rust has the method on nightly.
    FloatsOfText,
    /// Integers and `bool`, but only in the table of operators.
    OthersOfRows,
}

/// The type of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// The type of the receiver.
    Same,
    Scalar(Scalar),
}

/// The type of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gives {
    /// The type of the receiver.
    Same,
    /// The unsigned integer of the receiver's size.
    Bits,
    Scalar(Scalar),
}

/// The operation of a method.
pub(crate) enum Meaning {
    Un(Un),
    Bin(Bin),
    MulAdd,
    /// Repeated multiplication by itself; the exponent is a constant.
    Power,
    /// A closure on the receiver and the arguments. `T` is the type of the receiver, `U` the unsigned integer
    /// of its size, and `TOP` the number of its highest bit.
    Text(&'static str),
}

const fn method(
    name: &'static str,
    of: Domain,
    takes: &'static [Takes],
    gives: Gives,
    is: Meaning,
) -> Method {
    Method { name, of, takes, gives, is }
}

/// The table of methods.
pub(crate) const METHODS: &[Method] = {
    use Domain::{Floats, FloatsOfText, Integers, OthersOfRows, Signed, Singles, Unsigned};
    use Gives::Bits;
    use Meaning::{MulAdd, Power, Text};
    const NONE: &[Takes] = &[];
    const ONE: &[Takes] = &[Takes::Same];
    const TWO: &[Takes] = &[Takes::Same; 2];
    const DISTANCE: &[Takes] = &[Takes::Scalar(Scalar::U32)];
    const EXPONENT: &[Takes] = &[Takes::Scalar(Scalar::I32)];
    const SAME: Gives = Gives::Same;
    const BOOL: Gives = Gives::Scalar(Scalar::Bool);
    const COUNT: Gives = Gives::Scalar(Scalar::U32);
    &[
        method("abs", Floats, NONE, SAME, Meaning::Un(Un::Abs)),
        method("sqrt", Floats, NONE, SAME, Meaning::Un(Un::Sqrt)),
        method("exp", Floats, NONE, SAME, Meaning::Un(Un::Exp)),
        method("ln", Floats, NONE, SAME, Meaning::Un(Un::Ln)),
        method("exp2", Floats, NONE, SAME, Meaning::Un(Un::Exp2)),
        method("log2", Floats, NONE, SAME, Meaning::Un(Un::Log2)),
        method("exp_m1", Floats, NONE, SAME, Meaning::Un(Un::ExpM1)),
        method("ln_1p", Floats, NONE, SAME, Meaning::Un(Un::Ln1p)),
        method("sin", Floats, NONE, SAME, Meaning::Un(Un::Sin)),
        method("cos", Floats, NONE, SAME, Meaning::Un(Un::Cos)),
        method("tan", Singles, NONE, SAME, Meaning::Un(Un::Tan)),
        method("tanh", Floats, NONE, SAME, Meaning::Un(Un::Tanh)),
        method("powf", Singles, ONE, SAME, Meaning::Bin(Bin::Powf)),
        method("hypot", Floats, ONE, SAME, Meaning::Bin(Bin::Hypot)),
        method("atan2", Singles, ONE, SAME, Meaning::Bin(Bin::Atan2)),
        method("floor", Floats, NONE, SAME, Meaning::Un(Un::Floor)),
        method("ceil", Floats, NONE, SAME, Meaning::Un(Un::Ceil)),
        method("trunc", Floats, NONE, SAME, Meaning::Un(Un::Trunc)),
        method("round_ties_even", Floats, NONE, SAME, Meaning::Un(Un::RoundTiesEven)),
        method("min", Floats, ONE, SAME, Meaning::Bin(Bin::MinNum)),
        method("max", Floats, ONE, SAME, Meaning::Bin(Bin::MaxNum)),
        method("minimum", FloatsOfText, ONE, SAME, Meaning::Bin(Bin::Min)),
        method("maximum", FloatsOfText, ONE, SAME, Meaning::Bin(Bin::Max)),
        method("mul_add", Floats, TWO, SAME, MulAdd),
        method("powi", Floats, EXPONENT, SAME, Power),
        method("recip", Floats, NONE, SAME, Text("|x| 1.0 / x")),
        method("fract", Floats, NONE, SAME, Text("|x| x - x.trunc()")),
        method(
            "round",
            Floats,
            NONE,
            SAME,
            Text(
                "|x| { let whole = x.trunc(); if (x - whole).abs() >= 0.5 { whole + x.signum() } else { whole } }",
            ),
        ),
        method(
            "signum",
            Floats,
            NONE,
            SAME,
            Text("|x| if x.is_nan() { x } else if x.is_sign_negative() { -1.0 } else { 1.0 }"),
        ),
        method(
            "copysign",
            Floats,
            ONE,
            SAME,
            Text("|x, sign| { let size = x.abs(); if sign.is_sign_negative() { -size } else { size } }"),
        ),
        method(
            "clamp",
            Floats,
            TWO,
            SAME,
            Text(
                "|x, low, high| { let raised = if x < low { low } else { x }; if raised > high { high } else { raised } }",
            ),
        ),
        method("is_nan", Floats, NONE, BOOL, Meaning::Un(Un::IsNan)),
        method("is_finite", Floats, NONE, BOOL, Text("|x| x.abs() < T::INFINITY")),
        method("is_infinite", Floats, NONE, BOOL, Text("|x| x.abs() == T::INFINITY")),
        method("is_sign_negative", Floats, NONE, BOOL, Text("|x| x.to_bits() >> TOP != 0")),
        method("is_sign_positive", Floats, NONE, BOOL, Text("|x| x.to_bits() >> TOP == 0")),
        method("to_bits", Floats, NONE, Bits, Meaning::Un(Un::ToBits)),
        method("abs", Signed, NONE, SAME, Meaning::Un(Un::Abs)),
        method("signum", Signed, NONE, SAME, Text("|x| ((x > 0) as T) - ((x < 0) as T)")),
        method("is_positive", Signed, NONE, BOOL, Text("|x| x > 0")),
        method("is_negative", Signed, NONE, BOOL, Text("|x| x < 0")),
        method("min", Integers, ONE, SAME, Meaning::Bin(Bin::Min)),
        method("max", Integers, ONE, SAME, Meaning::Bin(Bin::Max)),
        method("clamp", Integers, TWO, SAME, Text("|x, low, high| x.max(low).min(high)")),
        method("pow", Integers, DISTANCE, SAME, Power),
        method("abs_diff", Unsigned, ONE, Bits, Text("|x, y| x.max(y) - x.min(y)")),
        // Flipping the highest bit maps the order of signed integers to that of unsigned ones.
        method(
            "abs_diff",
            Signed,
            ONE,
            Bits,
            Text("|x, y| (x.max(y) as U ^ 1 << TOP) - (x.min(y) as U ^ 1 << TOP)"),
        ),
        method("count_ones", Integers, NONE, COUNT, Meaning::Un(Un::CountOnes)),
        method("count_zeros", Integers, NONE, COUNT, Text("|x| (!x).count_ones()")),
        method("leading_zeros", Integers, NONE, COUNT, Meaning::Un(Un::LeadingZeros)),
        method("trailing_zeros", Integers, NONE, COUNT, Meaning::Un(Un::TrailingZeros)),
        method("is_power_of_two", Unsigned, NONE, BOOL, Text("|x| x.count_ones() == 1")),
        method("wrapping_add", Integers, ONE, SAME, Meaning::Bin(Bin::Add)),
        method("wrapping_sub", Integers, ONE, SAME, Meaning::Bin(Bin::Sub)),
        method("wrapping_mul", Integers, ONE, SAME, Meaning::Bin(Bin::Mul)),
        method("wrapping_neg", Integers, NONE, SAME, Text("|x| 0 - x")),
        method("wrapping_abs", Signed, NONE, SAME, Meaning::Un(Un::Abs)),
        method("wrapping_shl", Integers, DISTANCE, SAME, Meaning::Bin(Bin::Shl)),
        method("wrapping_shr", Integers, DISTANCE, SAME, Meaning::Bin(Bin::Shr)),
        method(
            "rotate_left",
            Integers,
            DISTANCE,
            SAME,
            Text("|x, by| { let bits = x as U; (bits << by | bits >> 1 >> !by) as T }"),
        ),
        method(
            "rotate_right",
            Integers,
            DISTANCE,
            SAME,
            Text("|x, by| { let bits = x as U; (bits >> by | bits << 1 << !by) as T }"),
        ),
        method("saturating_add", Unsigned, ONE, SAME, Text("|x, y| x.min(T::MAX - y) + y")),
        method("saturating_sub", Unsigned, ONE, SAME, Text("|x, y| x.max(y) - y")),
        method(
            "saturating_add",
            Signed,
            ONE,
            SAME,
            Text("|x, y| x.max(T::MIN - y.min(0)).min(T::MAX - y.max(0)) + y"),
        ),
        method(
            "saturating_sub",
            Signed,
            ONE,
            SAME,
            Text("|x, y| x.max(T::MIN + y.max(0)).min(T::MAX + y.min(0)) - y"),
        ),
        method("is_nan", OthersOfRows, NONE, BOOL, Text("|_| false")),
        method("abs", OthersOfRows, NONE, SAME, Text("|x| x")),
        method("minimum", OthersOfRows, ONE, SAME, Meaning::Bin(Bin::Min)),
        method("maximum", OthersOfRows, ONE, SAME, Meaning::Bin(Bin::Max)),
    ]
};

impl Domain {
    /// Returns whether the domain contains that type.
    pub(crate) fn holds(self, ty: Scalar) -> bool {
        match self {
            Domain::Floats | Domain::FloatsOfText => ty.is_float(),
            Domain::Singles => ty == Scalar::F32,
            Domain::Integers => ty.is_integer(),
            Domain::Signed => ty.is_signed(),
            Domain::Unsigned => ty.is_unsigned(),
            Domain::OthersOfRows => !ty.is_float(),
        }
    }

    /// Returns the words of messages for the domain.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Domain::Floats | Domain::FloatsOfText => "floats",
            Domain::Singles => "f32",
            Domain::Integers => "integers",
            Domain::Signed => "signed integers",
            Domain::Unsigned => "unsigned integers",
            Domain::OthersOfRows => "integers and bool",
        }
    }
}

impl Takes {
    /// Returns the type for a given type of the receiver.
    pub(crate) fn ty(self, receiver: Scalar) -> Scalar {
        match self {
            Takes::Same => receiver,
            Takes::Scalar(ty) => ty,
        }
    }
}

impl Gives {
    /// Returns the type for a given type of the receiver.
    pub(crate) fn ty(self, receiver: Scalar) -> Scalar {
        match self {
            Gives::Same => receiver,
            Gives::Bits => receiver.bits_type(),
            Gives::Scalar(ty) => ty,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Domain, METHODS};

    /// Returns the macros of `tests/methods.rs` that compare methods of that domain; empty if Rust does not
    /// have the methods.
    fn macros(of: Domain) -> &'static [&'static str] {
        match of {
            Domain::Floats => &["float_methods"],
            Domain::Integers => &["integer_methods"],
            Domain::Signed => &["integer_methods", "signed_methods"],
            Domain::Unsigned => &["integer_methods", "unsigned_methods"],
            Domain::Singles | Domain::FloatsOfText | Domain::OthersOfRows => &[],
        }
    }

    /// Functions of the library, which define their own bits. Tests of reduce-lanes compare them with exact values.
    const LIBRARY: [&str; 10] =
        ["exp", "ln", "exp2", "log2", "exp_m1", "ln_1p", "sin", "cos", "tanh", "hypot"];

    #[test]
    fn every_method_is_compared_with_that_of_rust() {
        let text = include_str!("../../tests/methods.rs");
        let lines = |name: &&str| text.split(&format!("macro_rules! {name} ")).nth(1)?.split("\n}\n").next();
        for method in METHODS.iter().filter(|it| !LIBRARY.contains(&it.name)) {
            let (name, of, macros) = (method.name, method.of.text(), macros(method.of));
            let calls = |lines: &str| lines.contains(&format!(".{name}("));
            let compared = macros.is_empty() || macros.iter().filter_map(lines).any(calls);
            assert!(compared, "`{name}` of {of} has no line in tests/methods.rs");
        }
    }
}
