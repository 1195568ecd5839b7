//! DLPack: tensors of other libraries, without a copy. With the feature `dlpack`.
//!
//! A library hands out a pointer to a [`Managed`] or [`ManagedVersioned`] tensor. [`Tensor`] owns it, and lends its elements as views.

mod structs;

pub use structs::{Contents, DataType, DeviceId, Managed, ManagedVersioned, VERSION, Version};

use crate::View;
use bytemuck::checked::{CheckedBitPattern, CheckedCastError, try_cast_slice};
use reduce_ir::Scalar;
use reduce_ir::arith::Element;
use std::ptr::NonNull;
use std::slice;

/// The host, as [`DeviceId::kind`].
pub const CPU: i32 = 1;
/// The memory of an NVIDIA GPU.
pub const CUDA: i32 = 2;
/// Memory of the host that is page-locked for CUDA.
pub const CUDA_HOST: i32 = 3;
/// Memory that CUDA moves between the host and GPUs.
pub const CUDA_MANAGED: i32 = 13;

/// A tensor of another library, which is freed when this is dropped.
///
/// ```
/// # #[cfg(feature = "dlpack")]
/// # fn main() -> Result<(), reduce_runtime::dlpack::TensorError> {
/// use reduce_runtime::dlpack::{Managed, Tensor};
/// use std::ptr::NonNull;
///
/// # fn produced() -> NonNull<Managed> {
/// #     use reduce_runtime::dlpack::{CPU, Contents, DataType, DeviceId};
/// #     let data = vec![1.0f32, 2.0, 3.0, 4.0].leak().as_mut_ptr().cast();
/// #     let (device, dtype) = (DeviceId { kind: CPU, ordinal: 0 }, DataType::new(reduce_ir::Scalar::F32));
/// #     let (shape, strides) = (vec![2i64, 2].leak().as_mut_ptr(), std::ptr::null_mut());
/// #     let contents = Contents { data, device, axes: 2, dtype, shape, strides, byte_offset: 0 };
/// #     NonNull::from(Box::leak(Box::new(Managed { contents, context: std::ptr::null_mut(), deleter: None })))
/// # }
/// let pointer: NonNull<Managed> = produced(); // by the other library
/// // SAFETY: the library made it, and gives it up.
/// let tensor = unsafe { Tensor::new(pointer) };
/// let view = tensor.view::<f32>()?;
/// assert_eq!((view.data, view.lengths), (&[1.0, 2.0, 3.0, 4.0][..], vec![2, 2]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "dlpack"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct Tensor(Owned);

#[derive(Debug)]
enum Owned {
    Plain(NonNull<Managed>),
    Versioned(NonNull<ManagedVersioned>),
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the producer's own function, called once, with the pointer that the producer made.
        unsafe {
            match *self {
                Owned::Plain(it) => it.as_ref().deleter.map_or((), |deleter| deleter(it.as_ptr())),
                Owned::Versioned(it) => it.as_ref().deleter.map_or((), |deleter| deleter(it.as_ptr())),
            }
        }
    }
}

/// The reason why a tensor has no view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// Another major version has another layout.
    #[error("the tensor has DLPack version {found}, and this library knows {}; ask its producer for that one", VERSION.0)]
    Version {
        /// The major version.
        found: u32,
    },
    /// The elements are in the memory of a device.
    #[error(
        "the tensor is on DLPack device {0:?}; copy it to the host, or make a `CudaSlice` of its address"
    )]
    Device(DeviceId),
    /// The elements have another type.
    #[error(
        "the elements of the tensor are {found:?}, not {expected}; convert the tensor, or reduce elements of that type"
    )]
    Type {
        /// The wanted type.
        expected: Scalar,
        /// The type.
        found: DataType,
    },
    /// An element does not lie at a multiple of its size, or lies beyond all memory.
    #[error("the elements of the tensor are not aligned, or its shape is wrong; copy it")]
    Layout,
    /// A `bool` is neither 0 nor 1.
    #[error("an element of the tensor of `bool` is neither 0 nor 1; compare the elements with 0 first")]
    Bool,
}

impl Tensor {
    /// Takes a tensor.
    ///
    /// # Safety
    /// The pointer leads to a tensor that its producer made and gave up: its memory, shape and strides are valid until the deleter is called, and
    /// nobody writes to its elements while this value lives.
    #[must_use]
    pub unsafe fn new(managed: NonNull<Managed>) -> Tensor {
        Tensor(Owned::Plain(managed))
    }

    /// Takes a tensor with a version.
    ///
    /// # Safety
    /// As [`Tensor::new`].
    ///
    /// # Errors
    /// The major version is unknown. The tensor is freed.
    pub unsafe fn new_versioned(managed: NonNull<ManagedVersioned>) -> Result<Tensor, TensorError> {
        // SAFETY: the caller promises it; the version comes first in every version of the struct.
        let found = unsafe { managed.as_ref().version.major };
        let tensor = Tensor(Owned::Versioned(managed));
        if found == VERSION.0 { Ok(tensor) } else { Err(TensorError::Version { found }) }
    }

    /// Returns the struct that describes the tensor.
    #[must_use]
    pub fn contents(&self) -> &Contents {
        // SAFETY: the producer keeps the contents until the deleter is called.
        unsafe {
            match &self.0 {
                Owned::Plain(it) => &it.as_ref().contents,
                Owned::Versioned(it) => &it.as_ref().contents,
            }
        }
    }

    /// Returns the length of each axis, and the step along it in elements.
    #[must_use]
    pub fn axes(&self) -> (Vec<usize>, Vec<isize>) {
        // SAFETY: the producer keeps a number for each axis.
        let (lengths, steps) = unsafe { self.contents().axes() };
        let steps = steps.unwrap_or_else(|| View::new((), lengths.clone()).steps);
        (lengths, steps)
    }

    /// Returns the elements of a tensor on the host.
    ///
    /// # Errors
    /// They are on a device, have another type, or are not aligned.
    pub fn view<T: Element + CheckedBitPattern>(&self) -> Result<View<&[T]>, TensorError> {
        let (expected, found) = (T::TY, self.contents().dtype);
        if found != DataType::new(expected) {
            return Err(TensorError::Type { expected, found });
        }
        let device = self.contents().device;
        if !matches!(device.kind, CPU | CUDA_HOST | CUDA_MANAGED) {
            return Err(TensorError::Device(device));
        }
        let (lengths, steps) = self.axes();
        let placed = placed(lengths, steps).ok_or(TensorError::Layout)?;
        let span = placed.span().ok_or(TensorError::Layout)?;
        if span.is_empty() {
            return Ok(placed.with_data(&[]));
        }
        let first = self.contents().address().wrapping_sub(placed.offset * size_of::<T>()) as *const u8;
        if first.is_null() {
            return Err(TensorError::Layout);
        }
        // SAFETY: the producer promises elements from the lowest to the highest that shape and strides reach, and that nobody writes them.
        let bytes = unsafe { slice::from_raw_parts(first, span.end * size_of::<T>()) };
        let elements = try_cast_slice(bytes).map_err(|error| match error {
            CheckedCastError::InvalidBitPattern => TensorError::Bool,
            CheckedCastError::PodCastError(_) => TensorError::Layout,
        })?;
        Ok(placed.with_data(elements))
    }
}

/// Returns the places of elements in memory that begins with the lowest one; `None` if they do not fit into memory.
fn placed(lengths: Vec<usize>, steps: Vec<isize>) -> Option<View<()>> {
    let mut offset = 0usize;
    for (&length, &step) in lengths.iter().zip(&steps) {
        let back = length.saturating_sub(1).checked_mul(step.min(0).unsigned_abs())?;
        offset = offset.checked_add(back)?;
    }
    let offset = if lengths.contains(&0) { 0 } else { offset };
    let placed = View { data: (), offset, lengths, steps };
    let end = placed.span()?.end;
    (end <= isize::MAX as usize / size_of::<u64>()).then_some(placed)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{
        CPU, CUDA, Contents, DataType, DeviceId, Managed, ManagedVersioned, Tensor, TensorError, Version,
    };
    use reduce_ir::Scalar;
    use std::ffi::c_void;
    use std::ptr::{self, NonNull};
    use std::sync::Arc;

    /// The memory of a tensor, and a value that is dropped with it.
    struct Kept {
        data: Vec<u32>,
        shape: Vec<i64>,
        strides: Vec<i64>,
        _alive: Arc<()>,
    }

    unsafe extern "C" fn delete(managed: *mut Managed) {
        // SAFETY: `tensor` leaked both boxes.
        unsafe { drop(Box::from_raw(Box::from_raw(managed).context.cast::<Kept>())) }
    }

    fn tensor(
        ty: Scalar,
        kind: i32,
        (offset, shape, strides): (u64, &[i64], &[i64]),
        alive: &Arc<()>,
    ) -> Tensor {
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        let data = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(f32::to_bits).to_vec();
        let kept = Box::leak(Box::new(Kept { data, shape, strides, _alive: alive.clone() }));
        let strides = if kept.strides.is_empty() { ptr::null_mut() } else { kept.strides.as_mut_ptr() };
        let contents = Contents {
            data: kept.data.as_mut_ptr().cast(),
            device: DeviceId { kind, ordinal: 0 },
            axes: kept.shape.len() as i32,
            dtype: DataType::new(ty),
            shape: kept.shape.as_mut_ptr(),
            strides,
            byte_offset: offset,
        };
        let context: *mut c_void = ptr::from_mut(kept).cast();
        let managed = Box::leak(Box::new(Managed { contents, context, deleter: Some(delete) }));
        // SAFETY: made just now.
        unsafe { Tensor::new(NonNull::from(managed)) }
    }

    #[test]
    fn views_have_the_elements_of_the_tensor() {
        let alive = Arc::new(());
        for (offset, shape, strides, expected) in [
            (0, &[2i64, 3][..], &[][..], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            (0, &[3, 2], &[1, 3], vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]),
            (20, &[2, 3], &[-3, -1], vec![6.0, 5.0, 4.0, 3.0, 2.0, 1.0]),
            (8, &[2, 2], &[0, 1], vec![3.0, 4.0, 3.0, 4.0]),
            (4, &[], &[], vec![2.0]),
            (0, &[0, 7], &[7, 1], vec![]),
        ] {
            let tensor = tensor(Scalar::F32, CPU, (offset, shape, strides), &alive);
            let view = tensor.view::<f32>().unwrap();
            let columns = view.lengths.get(1).copied().unwrap_or(1);
            let count: usize = view.lengths.iter().product();
            let place = |at: usize| {
                let at = [at / columns.max(1), at % columns.max(1)];
                let distance = view.steps.iter().zip(at).map(|(step, at)| step * at as isize).sum::<isize>();
                view.data[view.offset.wrapping_add_signed(distance)]
            };
            assert_eq!((0..count).map(place).collect::<Vec<_>>(), expected);
            assert_eq!(Arc::strong_count(&alive), 2);
        }
        assert_eq!(Arc::strong_count(&alive), 1, "every tensor is freed");
    }

    #[test]
    fn other_tensors_are_refused() {
        let alive = Arc::new(());
        let line = (0, &[6i64][..], &[][..]);
        let found = DataType::new(Scalar::I32);
        let refused = tensor(Scalar::I32, CPU, line, &alive).view::<f32>().unwrap_err();
        assert_eq!(refused, TensorError::Type { expected: Scalar::F32, found });
        let refused = tensor(Scalar::F32, CUDA, line, &alive).view::<f32>().unwrap_err();
        assert_eq!(refused, TensorError::Device(DeviceId { kind: CUDA, ordinal: 0 }));
        let places =
            [(2, &[5i64][..], &[][..]), (0, &[3][..], &[i64::MAX][..]), (0, &[i64::MAX, 9][..], &[][..])];
        for places in places {
            let refused = tensor(Scalar::F32, CPU, places, &alive).view::<f32>().unwrap_err();
            assert_eq!(refused, TensorError::Layout, "{places:?}");
        }
        let refused = tensor(Scalar::Bool, CPU, line, &alive).view::<bool>().unwrap_err();
        assert_eq!(refused, TensorError::Bool);
    }

    #[test]
    fn another_version_is_refused() {
        let (data, shape) = (ptr::null_mut(), ptr::null_mut());
        let device = DeviceId { kind: CPU, ordinal: 0 };
        let dtype = DataType::new(Scalar::F32);
        let contents = Contents { data, device, axes: 0, dtype, shape, strides: shape, byte_offset: 0 };
        let version = Version { major: 2, minor: 0 };
        let context = ptr::null_mut();
        let mut managed = ManagedVersioned { version, context, deleter: None, flags: 0, contents };
        // SAFETY: nothing is freed, and no element is read.
        let tensor = unsafe { Tensor::new_versioned(NonNull::from(&mut managed)) };
        assert_eq!(tensor.unwrap_err(), TensorError::Version { found: 2 });
    }
}
