//! The operations of typed expressions as data, with their typing rules. Their meaning is in [`crate::arith`].

use crate::Scalar;
use std::fmt;

/// An operation on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Un {
    /// `-a` of a number other than `f16`.
    Neg,
    /// `a.abs()` of a number other than `f16`.
    Abs,
    /// `!a` of an integer or `bool`.
    Not,
    /// `a.is_nan()` of a float; gives `bool`.
    IsNan,
    /// The value, with every NaN replaced by the one that outputs may hold; of a float.
    Canonical,
}

/// An operation on two operands of one type, whose result has that type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bin {
    /// `a + b` of numbers other than `f16`.
    Add,
    /// `a - b` of numbers other than `f16`.
    Sub,
    /// `a * b` of numbers other than `f16`.
    Mul,
    /// `a / b` of unsigned integers, where `b` cannot be 0.
    Div,
    /// `a % b` of unsigned integers, where `b` cannot be 0.
    Rem,
    /// `a.min(b)`, NaN propagating.
    Min,
    /// `a.max(b)`, NaN propagating.
    Max,
    /// `a & b` of integers or `bool`.
    And,
    /// `a | b` of integers or `bool`.
    Or,
    /// `a ^ b` of integers or `bool`.
    Xor,
}

/// A comparison; gives `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// `a == b`.
    Eq,
    /// `a != b`.
    Ne,
    /// `a < b`.
    Lt,
    /// `a <= b`.
    Le,
}

/// An operation applied to types it is not defined for: always the fault of whoever built the expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{operation}` is not defined for {operands}")]
pub struct TypeError {
    /// The operation, as it prints.
    pub operation: String,
    /// The operand types, as they print.
    pub operands: String,
}

impl TypeError {
    /// The error of `operation` on those operand types.
    pub fn new(operation: impl fmt::Display, operands: &[Scalar]) -> TypeError {
        let names: Vec<_> = operands.iter().map(|ty| ty.name()).collect();
        TypeError { operation: operation.to_string(), operands: names.join(" and ") }
    }
}

impl Un {
    /// Every one of them.
    pub const ALL: [Un; 5] = [Un::Neg, Un::Abs, Un::Not, Un::IsNan, Un::Canonical];

    /// The type of the result.
    pub fn result(self, a: Scalar) -> Result<Scalar, TypeError> {
        let (legal, result) = match self {
            Un::Neg | Un::Abs => (is_arithmetic(a), a),
            Un::Not => (has_bits(a), a),
            Un::IsNan => (a.is_float(), Scalar::Bool),
            Un::Canonical => (a.is_float(), a),
        };
        legal.then_some(result).ok_or_else(|| TypeError::new(self, &[a]))
    }
}

impl Bin {
    /// Every one of them.
    pub const ALL: [Bin; 10] =
        [Bin::Add, Bin::Sub, Bin::Mul, Bin::Div, Bin::Rem, Bin::Min, Bin::Max, Bin::And, Bin::Or, Bin::Xor];

    /// The type of the result.
    pub fn result(self, a: Scalar, b: Scalar) -> Result<Scalar, TypeError> {
        let legal = match self {
            Bin::Add | Bin::Sub | Bin::Mul => is_arithmetic(a),
            Bin::Div | Bin::Rem => matches!(a, Scalar::U32 | Scalar::U64),
            Bin::Min | Bin::Max => a.is_number(),
            Bin::And | Bin::Or | Bin::Xor => has_bits(a),
        };
        (legal && a == b).then_some(a).ok_or_else(|| TypeError::new(self, &[a, b]))
    }
}

impl Cmp {
    /// Every one of them.
    pub const ALL: [Cmp; 4] = [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le];

    /// The type of the result: `bool`, if the operands are of one type.
    pub fn result(self, a: Scalar, b: Scalar) -> Result<Scalar, TypeError> {
        let ordered = matches!(self, Cmp::Eq | Cmp::Ne) || a.is_number();
        (ordered && a == b).then_some(Scalar::Bool).ok_or_else(|| TypeError::new(self, &[a, b]))
    }
}

fn is_arithmetic(ty: Scalar) -> bool {
    ty.is_number() && ty != Scalar::F16
}

fn has_bits(ty: Scalar) -> bool {
    ty.is_integer() || ty == Scalar::Bool
}

impl fmt::Display for Un {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Un::Neg => "neg",
            Un::Abs => "abs",
            Un::Not => "not",
            Un::IsNan => "is_nan",
            Un::Canonical => "canonical",
        })
    }
}

impl fmt::Display for Bin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bin::Add => "+",
            Bin::Sub => "-",
            Bin::Mul => "*",
            Bin::Div => "/",
            Bin::Rem => "%",
            Bin::Min => "min",
            Bin::Max => "max",
            Bin::And => "&",
            Bin::Or => "|",
            Bin::Xor => "^",
        })
    }
}

impl fmt::Display for Cmp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cmp::Eq => "==",
            Cmp::Ne => "!=",
            Cmp::Lt => "<",
            Cmp::Le => "<=",
        })
    }
}
