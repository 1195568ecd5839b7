//! The structs of DLPack, versions 0 and 1.

use reducegen::ir::Scalar;
use std::ffi::c_void;

/// The newest version that is known.
pub(super) const VERSION: (u32, u32) = (1, 1);

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Device {
    pub(super) kind: i32,
    pub(super) ordinal: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct DataType {
    pub(super) code: u8,
    pub(super) bits: u8,
    pub(super) lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
pub(super) struct Contents {
    pub(super) data: *mut c_void,
    pub(super) device: Device,
    pub(super) axes: i32,
    pub(super) dtype: DataType,
    pub(super) shape: *mut i64,
    pub(super) strides: *mut i64,
    pub(super) byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
pub(crate) struct Managed {
    pub(super) contents: Contents,
    pub(super) context: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub(crate) struct ManagedVersioned {
    pub(super) version: Version,
    pub(super) context: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    pub(super) flags: u64,
    pub(super) contents: Contents,
}

/// Codes of types.
const INT: u8 = 0;
const UINT: u8 = 1;
const FLOAT: u8 = 2;
const BFLOAT: u8 = 4;
const BOOL: u8 = 6;

impl DataType {
    /// Returns the type of a scalar.
    pub(super) fn of(ty: Scalar) -> DataType {
        let code = match ty {
            Scalar::Bool => BOOL,
            Scalar::Bf16 => BFLOAT,
            Scalar::F16 | Scalar::F32 | Scalar::F64 => FLOAT,
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => INT,
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => UINT,
        };
        DataType { code, bits: 8 * ty.size() as u8, lanes: 1 }
    }

    /// Returns the scalar of this type, if it is one.
    pub(super) fn scalar(self) -> Option<Scalar> {
        let is_same = |ty: &Scalar| {
            let DataType { code, bits, lanes } = DataType::of(*ty);
            (code, bits, lanes) == (self.code, self.bits, self.lanes)
        };
        Scalar::ALL.into_iter().find(is_same)
    }
}

impl Contents {
    /// Returns the address of the element at coordinates 0.
    pub(super) fn address(&self) -> usize {
        (self.data as usize).wrapping_add(self.byte_offset as usize)
    }

    /// Returns the shape, and the strides in elements, if there are any.
    ///
    /// # Safety
    /// The pointers lead to a number for each axis, or are null.
    pub(super) unsafe fn axes(&self) -> (Vec<usize>, Option<Vec<isize>>) {
        let axes = usize::try_from(self.axes).unwrap_or(0);
        let numbers = |pointer: *mut i64| -> Option<Vec<i64>> {
            // SAFETY: the caller promises it.
            (!pointer.is_null()).then(|| (0..axes).map(|axis| unsafe { *pointer.add(axis) }).collect())
        };
        let shape = numbers(self.shape).unwrap_or_default();
        let strides = numbers(self.strides);
        let shape = shape.into_iter().map(|length| usize::try_from(length).unwrap_or(0)).collect();
        (shape, strides.map(|strides| strides.into_iter().map(|step| step as isize).collect()))
    }
}
