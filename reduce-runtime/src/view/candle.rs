//! Views of tensors of the crate `candle-core`, and results as such tensors. With the feature `candle`.

use super::View;
use crate::Array;
use candle_core::{DType, Device, DeviceLocation, Layout, Storage, StorageRef, Tensor, WithDType};

/// The reason why a tensor has no view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// The elements have another type.
    #[error(
        "the elements of the tensor are {}, not {}; view them as {0}, or convert the tensor with `to_dtype(DType::{expected:?})`",
        found.as_str(),
        expected.as_str()
    )]
    Type {
        /// The type of the view.
        expected: DType,
        /// The type of the tensor.
        found: DType,
    },
    /// The elements are not in the memory of the CPU.
    #[error(
        "the tensor is on device {}, and its elements are read on the CPU; copy it there with `to_device(&Device::Cpu)`",
        name(*device)
    )]
    Device {
        /// The device of the tensor.
        device: DeviceLocation,
    },
}

/// Returns the name that candle prints for a device.
fn name(device: DeviceLocation) -> String {
    match device {
        DeviceLocation::Cpu => "cpu".to_owned(),
        DeviceLocation::Cuda { gpu_id } => format!("cuda:{gpu_id}"),
        DeviceLocation::Metal { gpu_id } => format!("metal:{gpu_id}"),
    }
}

/// The memory of a tensor, locked for reading. Views borrow from the lock, so candle cannot change the data while they exist.
///
/// The tensor may be transposed, narrowed or broadcast: nothing is copied. While this exists, operations that change the tensor in
/// place wait. On the same thread they would wait forever.
///
/// ```
/// # #[cfg(feature = "candle")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use candle_core::{Device, Tensor};
/// use reduce_runtime::TensorStorage;
///
/// let matrix = Tensor::new(&[[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]], &Device::Cpu)?;
/// let transposed = matrix.t()?;
/// let storage = TensorStorage::new(&transposed);
/// let view = storage.view::<f32>()?;
/// assert_eq!((view.lengths, view.steps), (vec![3, 2], vec![1, 3]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "candle"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct TensorStorage<'t> {
    storage: StorageRef<'t>,
    layout: &'t Layout,
    device: &'t Device,
}

impl<'t> TensorStorage<'t> {
    /// Locks the memory of a tensor. Waits while another thread changes it.
    #[must_use]
    pub fn new(tensor: &'t Tensor) -> TensorStorage<'t> {
        let (storage, layout) = tensor.storage_and_layout();
        TensorStorage { storage, layout, device: tensor.device() }
    }

    /// Returns the elements, without a copy.
    ///
    /// # Errors
    ///
    /// The elements have another type, or are not in the memory of the CPU.
    pub fn view<T: WithDType>(&self) -> Result<View<&[T]>, TensorError> {
        let Storage::Cpu(storage) = &*self.storage else {
            return Err(TensorError::Device { device: self.device.location() });
        };
        // candle refuses for one reason only: the type.
        let data = storage
            .as_slice::<T>()
            .map_err(|_| TensorError::Type { expected: T::DTYPE, found: self.storage.dtype() })?;
        Ok(self.view_of(data))
    }

    /// Returns the memory. On a GPU it holds a slice of cudarc; see [`TensorStorage::positions`].
    #[must_use]
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Returns the positions of the elements in the memory, without the memory: `positions().with_data(slice)` is a view.
    #[must_use]
    pub fn positions(&self) -> View<()> {
        self.view_of(())
    }

    fn view_of<D>(&self, data: D) -> View<D> {
        let lengths = self.layout.dims().to_vec();
        // candle may place a tensor without elements behind the memory.
        let offset = if lengths.contains(&0) { 0 } else { self.layout.start_offset() };
        // Distances in memory fit: no memory has more than `isize::MAX` bytes.
        let steps = self.layout.stride().iter().map(|&step| step as isize).collect();
        View { data, offset, lengths, steps }
    }
}

impl<T: WithDType> Array<T> {
    /// Returns the results as a contiguous tensor of the same shape on a device of candle.
    ///
    /// # Errors
    ///
    /// The shape does not have as many elements as there are values, or the copy to the device failed.
    pub fn into_tensor(self, device: &Device) -> candle_core::Result<Tensor> {
        Tensor::from_vec(self.values, self.shape, device)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{TensorError, TensorStorage};
    use crate::Array;
    use candle_core::{DType, Device, DeviceLocation, Tensor, WithDType};
    use half::{bf16, f16};

    /// Returns the elements of a tensor, read through its view in row-major order.
    fn elements<T: WithDType>(tensor: &Tensor) -> Vec<T> {
        let storage = TensorStorage::new(tensor);
        let view = storage.view::<T>().unwrap();
        assert!(view.span().unwrap().end <= view.data.len());
        let count = view.lengths.iter().product();
        let position = |mut at: usize| {
            view.lengths.iter().zip(&view.steps).rev().fold(view.offset, |position, (length, step)| {
                let here = at % length;
                at /= length;
                position.wrapping_add_signed(here as isize * step)
            })
        };
        (0..count).map(|at| view.data[position(at)]).collect()
    }

    /// Checks that the view of a tensor has its elements, in its order, and is of the same memory.
    fn check(tensor: &Tensor) {
        let expected: Vec<i64> = tensor.flatten_all().unwrap().to_vec1().unwrap();
        assert_eq!(elements::<i64>(tensor), expected, "{tensor}");
    }

    fn matrix() -> Tensor {
        Tensor::arange(0i64, 12, &Device::Cpu).unwrap().reshape((3, 4)).unwrap()
    }

    #[test]
    fn a_view_has_the_elements_of_its_tensor() {
        let matrix = matrix();
        let cube = Tensor::arange(0i64, 24, &Device::Cpu).unwrap().reshape((2, 3, 4)).unwrap();
        for tensor in [
            matrix.clone(),
            matrix.t().unwrap(),
            matrix.narrow(0, 1, 2).unwrap(),
            matrix.narrow(1, 1, 2).unwrap().t().unwrap().narrow(0, 1, 1).unwrap(),
            matrix.get(2).unwrap().broadcast_as((5, 4)).unwrap(),
            matrix.narrow(1, 2, 1).unwrap().broadcast_as((2, 3, 6)).unwrap(),
            cube.permute((2, 0, 1)).unwrap().narrow(2, 1, 2).unwrap(),
            matrix.get(1).unwrap().get(3).unwrap(),
            Tensor::new(7i64, &Device::Cpu).unwrap().broadcast_as((2, 2)).unwrap(),
        ] {
            check(&tensor);
        }
    }

    #[test]
    fn a_tensor_without_elements_has_a_view() {
        let behind = matrix().narrow(0, 3, 0).unwrap();
        check(&behind);
        // It begins at 16 of 12, so candle itself cannot copy it.
        assert!(elements::<i64>(&behind.narrow(1, 4, 0).unwrap()).is_empty());
        check(&Tensor::zeros((0, 5), DType::I64, &Device::Cpu).unwrap());
    }

    #[test]
    fn a_view_copies_nothing() {
        let matrix = matrix();
        let transposed = matrix.t().unwrap();
        let (one, other) = (TensorStorage::new(&matrix), TensorStorage::new(&transposed));
        assert_eq!(one.view::<i64>().unwrap().data.as_ptr(), other.view::<i64>().unwrap().data.as_ptr());
    }

    #[test]
    fn all_types_have_views() {
        fn check<T: WithDType + std::fmt::Debug>(values: [T; 2]) {
            assert_eq!(elements::<T>(&Tensor::new(&values, &Device::Cpu).unwrap()), values);
        }
        check([1u8, 2]);
        check([1u32, 2]);
        check([-1i16, 2]);
        check([-1i32, 2]);
        check([-1i64, 2]);
        check([f16::ONE, f16::NEG_ONE]);
        check([bf16::ONE, bf16::NEG_ONE]);
        check([1.5f32, 2.5]);
        check([1.5f64, 2.5]);
    }

    #[test]
    fn errors_name_the_fix() {
        let matrix = matrix();
        let error = TensorStorage::new(&matrix).view::<f32>().unwrap_err();
        assert_eq!(error, TensorError::Type { expected: DType::F32, found: DType::I64 });
        assert_eq!(
            error.to_string(),
            "the elements of the tensor are i64, not f32; view them as i64, or convert the tensor with `to_dtype(DType::F32)`"
        );
        let error = TensorError::Device { device: DeviceLocation::Cuda { gpu_id: 1 } };
        assert!(error.to_string().contains("is on device cuda:1,"), "{error}");
        assert!(error.to_string().contains("`to_device(&Device::Cpu)`"), "{error}");
    }

    #[test]
    fn positions_are_those_of_the_view() {
        let part = matrix().t().unwrap().narrow(0, 1, 2).unwrap();
        let storage = TensorStorage::new(&part);
        let candle_core::Storage::Cpu(memory) = storage.storage() else { panic!("it is on the CPU") };
        let view = storage.positions().with_data(memory.as_slice::<i64>().unwrap());
        assert_eq!(view, storage.view::<i64>().unwrap());
    }

    #[test]
    fn results_become_a_tensor() {
        let array = Array { shape: vec![2, 2], values: vec![1.0f32, 2.0, 3.0, 4.0] };
        let tensor = array.into_tensor(&Device::Cpu).unwrap();
        assert_eq!(tensor.to_vec2::<f32>().unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
        let one = Array { shape: vec![], values: vec![5i64] }.into_tensor(&Device::Cpu).unwrap();
        assert_eq!(one.to_scalar::<i64>().unwrap(), 5);
        assert!(Array { shape: vec![3], values: vec![1u8] }.into_tensor(&Device::Cpu).is_err());
    }
}
