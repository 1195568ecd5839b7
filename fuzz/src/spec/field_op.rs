//! Associative operations on one scalar, with their identities.

use reduce_ir::Scalar;

/// An operation that combines two values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldOp {
    Add,
    WrappingAdd,
    Mul,
    WrappingMul,
    Min,
    Max,
    /// The minimum that propagates NaN.
    Minimum,
    Maximum,
    /// `min` and `max` as comparisons.
    Less,
    Greater,
    And,
    Or,
    Xor,
    AndThen,
    OrElse,
    Same,
    Saturating,
    First,
    Last,
}

use FieldOp::{
    Add, And, AndThen, First, Greater, Last, Less, Max, Maximum, Min, Minimum, Mul, Or, OrElse, Same,
    Saturating, WrappingAdd, WrappingMul, Xor,
};

const OF_FLOATS: &[FieldOp] = &[Add, Add, Add, Mul, Min, Max, Minimum, Maximum, First, Last];
const OF_SIGNED: &[FieldOp] =
    &[Add, WrappingAdd, Mul, WrappingMul, Min, Max, Less, Greater, And, Or, Xor, First, Last];
const OF_UNSIGNED: &[FieldOp] =
    &[Add, WrappingAdd, Mul, WrappingMul, Min, Max, Less, Greater, And, Or, Xor, Saturating, First, Last];
const OF_BOOL: &[FieldOp] = &[And, Or, Xor, AndThen, OrElse, Same, First, Last];

impl FieldOp {
    /// Returns the operations on values of a type.
    pub(super) fn of(ty: Scalar) -> &'static [FieldOp] {
        if ty.is_float() {
            OF_FLOATS
        } else if ty.is_signed() {
            OF_SIGNED
        } else if ty.is_unsigned() {
            OF_UNSIGNED
        } else {
            OF_BOOL
        }
    }

    /// Returns the expression that combines `a` and `b`.
    pub(super) fn text(self, a: &str, b: &str) -> String {
        match self {
            Add => format!("{a} + {b}"),
            Mul => format!("{a} * {b}"),
            And => format!("{a} & {b}"),
            Or => format!("{a} | {b}"),
            Xor => format!("{a} ^ {b}"),
            AndThen => format!("{a} && {b}"),
            OrElse => format!("{a} || {b}"),
            Same => format!("{a} == {b}"),
            Less => format!("if {b} < {a} {{ {b} }} else {{ {a} }}"),
            Greater => format!("if {b} > {a} {{ {b} }} else {{ {a} }}"),
            WrappingAdd => format!("{a}.wrapping_add({b})"),
            WrappingMul => format!("{a}.wrapping_mul({b})"),
            Min => format!("{a}.min({b})"),
            Max => format!("{a}.max({b})"),
            Minimum => format!("{a}.minimum({b})"),
            Maximum => format!("{a}.maximum({b})"),
            Saturating => format!("{a}.saturating_add({b})"),
            First => a.to_owned(),
            Last => b.to_owned(),
        }
    }

    /// Returns the neutral value, if the operation has one.
    pub(super) fn identity(self, ty: Scalar) -> Option<String> {
        let (least, greatest) = if ty.is_float() { ("NEG_INFINITY", "INFINITY") } else { ("MIN", "MAX") };
        Some(match self {
            Add if ty.is_float() => "-0.0".to_owned(),
            Add | WrappingAdd | Saturating => "0".to_owned(),
            Mul if ty.is_float() => "1.0".to_owned(),
            Mul | WrappingMul => "1".to_owned(),
            Min | Minimum | Less => format!("{ty}::{greatest}"),
            Max | Maximum | Greater => format!("{ty}::{least}"),
            Or | Xor | OrElse if ty == Scalar::Bool => "false".to_owned(),
            And | AndThen | Same if ty == Scalar::Bool => "true".to_owned(),
            Or | Xor => "0".to_owned(),
            And => format!("!0{ty}"),
            First | Last | AndThen | OrElse | Same => return None,
        })
    }

    /// Returns whether the operation is commutative bit for bit.
    pub(super) fn commutes(self) -> bool {
        !matches!(self, First | Last)
    }
}
