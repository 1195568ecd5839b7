//! The scalar types: the only list of them.

use std::fmt;

/// A scalar type of inputs, accumulators, indices and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `bool`: one byte in memory. An accumulator (`any`, `all`), not an input.
    Bool,
    /// IEEE binary16. Stored as 16 bits; arithmetic happens in `f32`.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Two's complement, wrapping.
    I32,
    /// Unsigned, wrapping.
    U32,
    /// Two's complement, wrapping.
    I64,
    /// Unsigned, wrapping.
    U64,
}

impl Scalar {
    /// Every scalar type, in the order in which messages list them.
    pub const ALL: [Scalar; 8] = [
        Scalar::F16,
        Scalar::F32,
        Scalar::F64,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::Bool,
    ];

    /// The types an input can have: all but `bool`.
    pub const INPUTS: [Scalar; 7] =
        [Scalar::F16, Scalar::F32, Scalar::F64, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];

    /// The Rust name, which is also the name in specifications and in printed programs.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Bytes of one element in memory.
    pub fn size(self) -> usize {
        match self {
            Scalar::Bool => 1,
            Scalar::F16 => 2,
            Scalar::F32 | Scalar::I32 | Scalar::U32 => 4,
            Scalar::F64 | Scalar::I64 | Scalar::U64 => 8,
        }
    }

    /// The type in which an element of this type is computed with: `f32` for `f16`, else itself.
    pub fn compute(self) -> Scalar {
        if self == Scalar::F16 { Scalar::F32 } else { self }
    }

    /// Is it `f16`, `f32` or `f64`?
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// Is it a signed or unsigned integer (not `bool`)?
    pub fn is_integer(self) -> bool {
        matches!(self, Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64)
    }

    /// Is it a float or an integer?
    pub fn is_number(self) -> bool {
        self != Scalar::Bool
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
