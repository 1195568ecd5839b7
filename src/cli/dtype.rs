//! The element types of data files: a table, one row each.

use reduce_dsl::Scalar;
use reduce_dsl::lanes::LanesRef;

/// An element type as files name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dtype {
    /// NumPy's code: `f4`.
    pub(crate) code: &'static str,
    /// The type in the language.
    pub(crate) ty: Scalar,
    /// Bytes, aligned and a multiple of the size, as elements.
    pub(crate) cast: fn(&[u8]) -> LanesRef<'_>,
}

/// The table.
pub(crate) const DTYPES: [Dtype; 11] = [
    Dtype { code: "f2", ty: Scalar::F16, cast: |bytes| LanesRef::F16(bytemuck::cast_slice(bytes)) },
    Dtype { code: "f4", ty: Scalar::F32, cast: |bytes| LanesRef::F32(bytemuck::cast_slice(bytes)) },
    Dtype { code: "f8", ty: Scalar::F64, cast: |bytes| LanesRef::F64(bytemuck::cast_slice(bytes)) },
    Dtype { code: "i1", ty: Scalar::I8, cast: |bytes| LanesRef::I8(bytemuck::cast_slice(bytes)) },
    Dtype { code: "u1", ty: Scalar::U8, cast: |bytes| LanesRef::U8(bytes) },
    Dtype { code: "i2", ty: Scalar::I16, cast: |bytes| LanesRef::I16(bytemuck::cast_slice(bytes)) },
    Dtype { code: "u2", ty: Scalar::U16, cast: |bytes| LanesRef::U16(bytemuck::cast_slice(bytes)) },
    Dtype { code: "i4", ty: Scalar::I32, cast: |bytes| LanesRef::I32(bytemuck::cast_slice(bytes)) },
    Dtype { code: "u4", ty: Scalar::U32, cast: |bytes| LanesRef::U32(bytemuck::cast_slice(bytes)) },
    Dtype { code: "i8", ty: Scalar::I64, cast: |bytes| LanesRef::I64(bytemuck::cast_slice(bytes)) },
    Dtype { code: "u8", ty: Scalar::U64, cast: |bytes| LanesRef::U64(bytemuck::cast_slice(bytes)) },
];

impl Dtype {
    /// The row of that name in the language: `f32`.
    pub(crate) fn named(name: &str) -> Option<&'static Dtype> {
        DTYPES.iter().find(|dtype| dtype.ty.name() == name)
    }
}
