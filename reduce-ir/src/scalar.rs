//! The scalar types, listed only here.

use std::fmt;
use std::str::FromStr;

/// A scalar type of inputs, accumulators, indices and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `bool`: one byte in memory, 0 or 1.
    Bool,
    /// IEEE binary16. Stored as 16 bits; arithmetic happens in `f32`.
    F16,
    /// The upper half of a binary32. Stored as 16 bits; arithmetic happens in `f32`.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Two's complement, wrapping.
    I8,
    /// Two's complement, wrapping.
    I16,
    /// Two's complement, wrapping.
    I32,
    /// Two's complement, wrapping.
    I64,
    /// Unsigned, wrapping.
    U8,
    /// Unsigned, wrapping.
    U16,
    /// Unsigned, wrapping.
    U32,
    /// Unsigned, wrapping.
    U64,
}

impl Scalar {
    /// All scalar types, in the order in which messages list them.
    pub const ALL: [Scalar; 13] = [
        Scalar::F16,
        Scalar::Bf16,
        Scalar::F32,
        Scalar::F64,
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::Bool,
    ];

    /// Returns the Rust name, which is also the name in specifications and in printed programs.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::F16 => "f16",
            Scalar::Bf16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
        }
    }

    /// Returns the type of that name. The error of [`str::parse`] also lists the valid names.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Returns the bytes of one element in memory.
    pub const fn size(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::F16 | Scalar::Bf16 | Scalar::I16 | Scalar::U16 => 2,
            Scalar::F32 | Scalar::I32 | Scalar::U32 => 4,
            Scalar::F64 | Scalar::I64 | Scalar::U64 => 8,
        }
    }

    /// Returns the type in which elements of this type are computed: `f32` for 16-bit floats, otherwise the type itself.
    pub fn compute(self) -> Scalar {
        if self.is_half() { Scalar::F32 } else { self }
    }

    /// Returns the type in which elements of this type are added: `f32` for 16-bit floats, 32 bits for integers of 8 and 16 bits
    /// and `bool`, otherwise the type itself.
    pub fn widened(self) -> Scalar {
        match self {
            Scalar::F16 | Scalar::Bf16 => Scalar::F32,
            Scalar::I8 | Scalar::I16 => Scalar::I32,
            Scalar::U8 | Scalar::U16 | Scalar::Bool => Scalar::U32,
            Scalar::F32 | Scalar::F64 | Scalar::I32 | Scalar::I64 | Scalar::U32 | Scalar::U64 => self,
        }
    }

    /// Returns whether it is a 16-bit float, which has an order but no arithmetic of its own.
    pub fn is_half(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16)
    }

    /// Returns whether it is `f16`, `bf16`, `f32` or `f64`.
    pub fn is_float(self) -> bool {
        self.is_half() || matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Returns whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// Returns whether it is an unsigned integer (not `bool`).
    pub fn is_unsigned(self) -> bool {
        matches!(self, Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64)
    }

    /// Returns whether it is a signed or unsigned integer (not `bool`).
    pub fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Returns whether it is a float or an integer.
    pub fn is_number(self) -> bool {
        self != Scalar::Bool
    }

    /// Returns the unsigned integer of the same size.
    pub fn bits_type(self) -> Scalar {
        match self.size() {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            _ => Scalar::U64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is not the name of a scalar type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a scalar type; the types are {}", Scalar::ALL.map(Scalar::name).join(", "))]
pub struct ParseScalarError {
    name: String,
}

/// Parses a name, as [`Display`](fmt::Display) prints it.
impl FromStr for Scalar {
    type Err = ParseScalarError;

    fn from_str(name: &str) -> Result<Scalar, ParseScalarError> {
        Scalar::from_name(name).ok_or_else(|| ParseScalarError { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for ty in Scalar::ALL {
            assert_eq!(ty.to_string().parse(), Ok(ty));
        }
        let error = "F32".parse::<Scalar>().map_err(|error| error.to_string());
        let names = "f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool";
        assert_eq!(error, Err(format!("`F32` is not a scalar type; the types are {names}")));
    }
}
