//! The element types of data files: a table, one row each.

use reduce_ir::Scalar;
use reduce_lanes::LanesRef;

/// An element type and its name in files.
#[derive(Clone, Copy, Debug)]
pub struct Dtype {
    /// NumPy's code, such as `f4`. NumPy has no code for `bf16`, which only raw files can contain.
    pub code: Option<&'static str>,
    /// The type in the language.
    pub ty: Scalar,
    /// Converts bytes to elements. The bytes are aligned, and their number is a multiple of the size.
    pub cast: fn(&[u8]) -> Result<LanesRef<'_>, NotBool>,
}

/// A byte that is not a `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "element {at} is the byte {byte}, and a bool is 0 or 1; save `a != 0`, or read the bytes as numbers with `--raw u8`"
)]
pub struct NotBool {
    /// The index of the element.
    pub at: usize,
    /// The value of the byte.
    pub byte: u8,
}

macro_rules! row {
    ($code:expr, $ty:ident) => {
        Dtype { code: $code, ty: Scalar::$ty, cast: |bytes| Ok(LanesRef::$ty(bytemuck::cast_slice(bytes))) }
    };
}

/// The table of element types.
pub static DTYPES: [Dtype; 13] = [
    Dtype { code: Some("b1"), ty: Scalar::Bool, cast: bools },
    row!(None, Bf16),
    row!(Some("f2"), F16),
    row!(Some("f4"), F32),
    row!(Some("f8"), F64),
    row!(Some("i1"), I8),
    row!(Some("u1"), U8),
    row!(Some("i2"), I16),
    row!(Some("u2"), U16),
    row!(Some("i4"), I32),
    row!(Some("u4"), U32),
    row!(Some("i8"), I64),
    row!(Some("u8"), U64),
];

impl Dtype {
    /// Returns the row of a name in the language, such as `f32`.
    pub fn named(name: &str) -> Option<&'static Dtype> {
        DTYPES.iter().find(|dtype| dtype.ty.name() == name)
    }

    /// Returns the row of a type of elements: the table has a row for each.
    pub fn of_element(ty: Scalar) -> &'static Dtype {
        Dtype::of(ty).unwrap_or(&DTYPES[0])
    }

    /// Returns the row of a type of the language.
    pub fn of(ty: Scalar) -> Option<&'static Dtype> {
        DTYPES.iter().find(|dtype| dtype.ty == ty)
    }

    /// Returns the name of the type in a NumPy file, such as `<f4` or `|b1`; `None` if NumPy has no code for it.
    pub fn descr(&self) -> Option<String> {
        let order = if self.ty.size() == 1 { '|' } else { '<' };
        self.code.map(|code| format!("{order}{code}"))
    }

    /// Returns the row of a NumPy code, such as `f4`.
    pub fn coded(code: &str) -> Option<&'static Dtype> {
        DTYPES.iter().find(|dtype| dtype.code == Some(code))
    }
}

fn bools(bytes: &[u8]) -> Result<LanesRef<'_>, NotBool> {
    bytemuck::checked::try_cast_slice(bytes).map(LanesRef::Bool).map_err(|_| {
        let at = bytes.iter().position(|&byte| byte > 1).unwrap_or_default();
        NotBool { at, byte: bytes[at] }
    })
}
