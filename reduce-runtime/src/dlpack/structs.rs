//! The structs of DLPack, versions 0 and 1.

use reduce_ir::Scalar;
use std::ffi::c_void;

/// The newest version that is known: major and minor.
pub const VERSION: (u32, u32) = (1, 1);

/// `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceId {
    /// The type of the device, such as [`CPU`](super::CPU).
    pub kind: i32,
    /// Its number.
    pub ordinal: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataType {
    /// The kind of number.
    pub code: u8,
    /// Its bits.
    pub bits: u8,
    /// The numbers of an element: 1 for a scalar.
    pub lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct Contents {
    /// The memory.
    pub data: *mut c_void,
    /// Where it is.
    pub device: DeviceId,
    /// The number of axes.
    pub axes: i32,
    /// The type of the elements.
    pub dtype: DataType,
    /// The length of each axis.
    pub shape: *mut i64,
    /// The step along each axis, in elements. Null: the elements lie side by side.
    pub strides: *mut i64,
    /// The bytes from the memory to the element at coordinates 0.
    pub byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct Managed {
    /// The tensor.
    pub contents: Contents,
    /// Data for the deleter.
    pub context: *mut c_void,
    /// Frees the tensor and this struct.
    pub deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Another one has another layout.
    pub major: u32,
    /// A newer one has more types and flags.
    pub minor: u32,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
#[derive(Debug)]
pub struct ManagedVersioned {
    /// The version of this struct.
    pub version: Version,
    /// Data for the deleter.
    pub context: *mut c_void,
    /// Frees the tensor and this struct.
    pub deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    /// Bit 0: the memory must not be written. Bit 1: it is a copy.
    pub flags: u64,
    /// The tensor.
    pub contents: Contents,
}

/// Codes of types.
const INT: u8 = 0;
const UINT: u8 = 1;
const FLOAT: u8 = 2;
const BFLOAT: u8 = 4;
const BOOL: u8 = 6;

impl DataType {
    /// Returns the type of a scalar.
    #[must_use]
    pub fn new(ty: Scalar) -> DataType {
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
    #[must_use]
    pub fn scalar(self) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|ty| DataType::new(*ty) == self)
    }
}

impl Contents {
    /// Returns the address of the element at coordinates 0.
    #[must_use]
    pub fn address(&self) -> usize {
        (self.data as usize).wrapping_add(self.byte_offset as usize)
    }

    /// Returns the shape, and the strides in elements, if there are any.
    #[must_use]
    ///
    /// # Safety
    /// The pointers lead to a number for each axis, or are null.
    pub unsafe fn axes(&self) -> (Vec<usize>, Option<Vec<isize>>) {
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
