//! The operations of typed expressions as data, with their typing rules. [`crate::arith`] defines their meaning.

use crate::Scalar;
use std::fmt;

/// Defines an enum and the list of all its variants, which tests and parsers iterate over.
macro_rules! operations {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$about])*
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All operations.
            pub const ALL: [$name; [$($name::$variant),*].len()] = [$($name::$variant),*];
        }
    };
}

operations! {
    /// An operation on one operand.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Un {
        /// `-a` of a number other than a 16-bit float.
        Neg,
        /// `a.abs()` of a number other than a 16-bit float.
        Abs,
        /// `!a` of an integer or `bool`.
        Not,
        /// `a.is_nan()` of a float; gives `bool`.
        IsNan,
        /// The value, with every NaN replaced by the one that outputs may hold; of a float.
        Canonical,
        /// `a.sqrt()` of `f32` or `f64`, correctly rounded.
        Sqrt,
        /// `a.floor()` of `f32` or `f64`.
        Floor,
        /// `a.ceil()` of `f32` or `f64`.
        Ceil,
        /// `a.trunc()` of `f32` or `f64`.
        Trunc,
        /// `a.round_ties_even()` of `f32` or `f64`.
        RoundTiesEven,
        /// `a.exp()` of `f32` or `f64`, as [`crate::library`] builds it.
        Exp,
        /// `a.ln()` of `f32` or `f64`, as [`crate::library`] builds it.
        Ln,
        /// `a.exp2()` of `f32` or `f64`, as the library builds it.
        Exp2,
        /// `a.log2()` of `f32` or `f64`, as the library builds it.
        Log2,
        /// `a.exp_m1()` of `f32` or `f64`, as the library builds it.
        ExpM1,
        /// `a.ln_1p()` of `f32` or `f64`, as the library builds it.
        Ln1p,
        /// `a.sin()` of `f32` or `f64`, as the library builds it.
        Sin,
        /// `a.cos()` of `f32` or `f64`, as the library builds it.
        Cos,
        /// `a.tan()` of `f32`, as the library builds it.
        Tan,
        /// `a.tanh()` of `f32` or `f64`, as the library builds it.
        Tanh,
        /// `a.to_bits()` of `f32` or `f64`; gives `u32` or `u64`. Every NaN has the bits of the canonical NaN.
        ToBits,
        /// `f32::from_bits(a)` of `u32`, `f64::from_bits(a)` of `u64`.
        FromBits,
        /// `a.count_ones()` of an integer; gives `u32`.
        CountOnes,
        /// `a.leading_zeros()` of an integer; gives `u32`.
        LeadingZeros,
        /// `a.trailing_zeros()` of an integer; gives `u32`.
        TrailingZeros,
    }
}

operations! {
    /// An operation on two operands of one type (except for shifts). The result has the type of the first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Bin {
        /// `a + b` of numbers other than 16-bit floats.
        Add,
        /// `a - b` of numbers other than 16-bit floats.
        Sub,
        /// `a * b` of numbers other than 16-bit floats.
        Mul,
        /// `a / b` of numbers other than 16-bit floats. Closures divide integers only by values that cannot be 0 or −1, for which
        /// GPUs promise nothing.
        Div,
        /// `a % b` of integers, with the divisors of [`Bin::Div`].
        Rem,
        /// The smaller, NaN propagating: `a.min(b)` of integers, `a.minimum(b)` of floats.
        Min,
        /// The larger, NaN propagating: `a.max(b)` of integers, `a.maximum(b)` of floats.
        Max,
        /// `a.min(b)` of floats: the smaller, or the one that is not NaN.
        MinNum,
        /// `a.max(b)` of floats: the larger, or the one that is not NaN.
        MaxNum,
        /// `a & b` of integers or `bool`.
        And,
        /// `a | b` of integers or `bool`.
        Or,
        /// `a ^ b` of integers or `bool`.
        Xor,
        /// `a << b` of an integer, `b` a `u32` that is taken modulo the bits of `a`.
        Shl,
        /// `a >> b` of an integer, `b` a `u32` that is taken modulo the bits of `a`; signed integers keep their sign.
        Shr,
        /// `a.powf(b)` of `f32`, as [`crate::library`] builds it.
        Powf,
        /// `a.hypot(b)` of `f32` or `f64`, as the library builds it.
        Hypot,
        /// `a.atan2(b)` of `f32`, as the library builds it.
        Atan2,
    }
}

operations! {
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
        /// `a > b`.
        Gt,
        /// `a >= b`.
        Ge,
    }
}

/// An operation on types for which it is not defined: always a fault of the code that built the expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{operation}` is not defined for {operands}")]
pub struct TypeError {
    /// The operation, as it prints.
    pub operation: String,
    /// The operand types, as they print.
    pub operands: String,
}

impl TypeError {
    /// Creates the error of `operation` on those operand types.
    pub fn new(operation: impl fmt::Display, operands: &[Scalar]) -> TypeError {
        let names: Vec<_> = operands.iter().map(|ty| ty.name()).collect();
        TypeError { operation: operation.to_string(), operands: names.join(" and ") }
    }
}

impl Un {
    /// Returns the type of the result.
    ///
    /// # Errors
    /// The operation is not defined for the type of the operand.
    pub fn result(self, a: Scalar) -> Result<Scalar, TypeError> {
        let (legal, result) = match self {
            Un::Neg | Un::Abs => (is_arithmetic(a), a),
            Un::Not => (has_bits(a), a),
            Un::IsNan => (a.is_float(), Scalar::Bool),
            Un::Canonical => (a.is_float(), a),
            Un::Sqrt | Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven => (is_full_float(a), a),
            Un::Exp | Un::Ln | Un::Exp2 | Un::Log2 | Un::ExpM1 | Un::Ln1p => (is_full_float(a), a),
            Un::Sin | Un::Cos | Un::Tanh => (is_full_float(a), a),
            Un::Tan => (a == Scalar::F32, a),
            Un::ToBits => (is_full_float(a), a.bits_type()),
            Un::FromBits if a == Scalar::U64 => (true, Scalar::F64),
            Un::FromBits => (a == Scalar::U32, Scalar::F32),
            Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => (a.is_integer(), Scalar::U32),
        };
        legal.then_some(result).ok_or_else(|| TypeError::new(self, &[a]))
    }
}

impl Un {
    /// Returns whether it rounds to the precision of the type. Operations with integral results, such as `floor`, are exact.
    pub fn rounds(self) -> bool {
        match self {
            Un::Sqrt | Un::Exp | Un::Ln | Un::Exp2 | Un::Log2 | Un::ExpM1 | Un::Ln1p => true,
            Un::Sin | Un::Cos | Un::Tan | Un::Tanh => true,
            Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven => false,
            Un::Neg | Un::Abs | Un::Not | Un::IsNan | Un::Canonical | Un::ToBits | Un::FromBits => false,
            Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => false,
        }
    }
}

impl Bin {
    /// Returns the type of the result.
    ///
    /// # Errors
    /// The operation is not defined for the types of the operands, or they differ where they must be equal.
    pub fn result(self, a: Scalar, b: Scalar) -> Result<Scalar, TypeError> {
        let legal = match self {
            Bin::Add | Bin::Sub | Bin::Mul | Bin::Div => is_arithmetic(a) && a == b,
            Bin::Rem => a.is_integer() && a == b,
            Bin::Min | Bin::Max => a.is_number() && a == b,
            Bin::MinNum | Bin::MaxNum => a.is_float() && a == b,
            Bin::And | Bin::Or | Bin::Xor => has_bits(a) && a == b,
            Bin::Shl | Bin::Shr => a.is_integer() && b == Scalar::U32,
            Bin::Hypot => is_full_float(a) && a == b,
            Bin::Powf | Bin::Atan2 => a == Scalar::F32 && a == b,
        };
        legal.then_some(a).ok_or_else(|| TypeError::new(self, &[a, b]))
    }

    /// Returns whether it rounds, on floats.
    pub fn rounds(self) -> bool {
        match self {
            Bin::Add | Bin::Sub | Bin::Mul | Bin::Div => true,
            Bin::Powf | Bin::Hypot | Bin::Atan2 => true,
            Bin::Rem | Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => false,
            Bin::And | Bin::Or | Bin::Xor | Bin::Shl | Bin::Shr => false,
        }
    }

    /// Returns whether `b op a` and `a op b` are known to be equal, bit for bit.
    pub fn commutes(self) -> bool {
        match self {
            Bin::Add | Bin::Mul | Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => true,
            Bin::And | Bin::Or | Bin::Xor => true,
            Bin::Sub | Bin::Div | Bin::Rem | Bin::Shl | Bin::Shr => false,
            // Nothing needs to know that `hypot` does.
            Bin::Powf | Bin::Hypot | Bin::Atan2 => false,
        }
    }

    /// Returns whether every order and grouping of operands of that type gives the same bits.
    pub fn is_exact(self, ty: Scalar) -> bool {
        self.commutes() && !(ty.is_float() && self.rounds())
    }
}

impl Cmp {
    /// Returns the type of the result: `bool`, if the operands have one type.
    ///
    /// # Errors
    /// The operands differ in type, or the comparison needs an order that their type lacks.
    pub fn result(self, a: Scalar, b: Scalar) -> Result<Scalar, TypeError> {
        let ordered = matches!(self, Cmp::Eq | Cmp::Ne) || a.is_number();
        (ordered && a == b).then_some(Scalar::Bool).ok_or_else(|| TypeError::new(self, &[a, b]))
    }

    /// Returns the comparison with exchanged sides: `<` becomes `>`.
    pub fn swapped(self) -> Cmp {
        match self {
            Cmp::Eq | Cmp::Ne => self,
            Cmp::Lt => Cmp::Gt,
            Cmp::Le => Cmp::Ge,
            Cmp::Gt => Cmp::Lt,
            Cmp::Ge => Cmp::Le,
        }
    }
}

/// Returns the type of `a as to`. Numbers of 32 and 64 bits and integers convert to each other, 16-bit floats to `f32`, and
/// `bool` to integers. No conversion gives a 16-bit float: these are for storage.
///
/// # Errors
/// There is no such conversion.
pub fn cast(a: Scalar, to: Scalar) -> Result<Scalar, TypeError> {
    let legal = match a {
        Scalar::F16 | Scalar::Bf16 => to == Scalar::F32,
        Scalar::Bool => to.is_integer(),
        Scalar::F32 | Scalar::F64 | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => is_arithmetic(to),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => is_arithmetic(to),
    };
    legal.then_some(to).ok_or_else(|| TypeError::new(format!("as {to}"), &[a]))
}

/// Returns whether the float `to`, which is [the type of a cast](cast), holds every value of `from`.
pub fn holds(to: Scalar, from: Scalar) -> bool {
    match from {
        Scalar::F64 => to == Scalar::F64,
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 | Scalar::F32 => true,
        Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => true,
        Scalar::I32 | Scalar::U32 => to == Scalar::F64,
        Scalar::I64 | Scalar::U64 => false,
    }
}

/// Returns the type of `a.mul_add(b, c)`, rounded once.
///
/// # Errors
/// The operands are not all `f32`, or all `f64`.
pub fn mul_add(a: Scalar, b: Scalar, c: Scalar) -> Result<Scalar, TypeError> {
    let legal = is_full_float(a) && a == b && b == c;
    legal.then_some(a).ok_or_else(|| TypeError::new("mul_add", &[a, b, c]))
}

fn is_full_float(ty: Scalar) -> bool {
    matches!(ty, Scalar::F32 | Scalar::F64)
}

fn is_arithmetic(ty: Scalar) -> bool {
    ty.is_number() && !ty.is_half()
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
            Un::Sqrt => "sqrt",
            Un::Floor => "floor",
            Un::Ceil => "ceil",
            Un::Trunc => "trunc",
            Un::RoundTiesEven => "round_ties_even",
            Un::Exp => "exp",
            Un::Ln => "ln",
            Un::Exp2 => "exp2",
            Un::Log2 => "log2",
            Un::ExpM1 => "exp_m1",
            Un::Ln1p => "ln_1p",
            Un::Sin => "sin",
            Un::Cos => "cos",
            Un::Tan => "tan",
            Un::Tanh => "tanh",
            Un::ToBits => "to_bits",
            Un::FromBits => "from_bits",
            Un::CountOnes => "count_ones",
            Un::LeadingZeros => "leading_zeros",
            Un::TrailingZeros => "trailing_zeros",
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
            Bin::MinNum => "min_num",
            Bin::MaxNum => "max_num",
            Bin::And => "&",
            Bin::Or => "|",
            Bin::Xor => "^",
            Bin::Shl => "<<",
            Bin::Shr => ">>",
            Bin::Powf => "powf",
            Bin::Hypot => "hypot",
            Bin::Atan2 => "atan2",
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
            Cmp::Gt => ">",
            Cmp::Ge => ">=",
        })
    }
}
