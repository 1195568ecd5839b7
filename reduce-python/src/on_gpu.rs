//! Calls on arrays in the memory of a GPU. Nothing waits, except where the host must know the number of runs.

use crate::arrays;
use crate::device_array::DeviceArray;
use crate::errors::{self, InputError};
use crate::gpu::{Gpu, failed};
use crate::host::span;
use crate::lent::{Lent, Workspaces};
use crate::memory::Memory;
use crate::results::{self, empty};
use crate::source::bug;
use crate::tensor::{Library, Place, Tensor};
use cudarc::driver::sys::{self, CUdeviceptr, CUmemorytype};
use cudarc::driver::{CudaSlice, CudaStream, result};
use pyo3::prelude::*;
use reducegen::ir::arith::Element;
use reducegen::ir::axes::Cut;
use reducegen::ir::operation::Record;
use reducegen::ir::{Scalar, Value};
use reducegen::{
    DeviceGroups, DeviceInput, DeviceKeys, DeviceRuns, DeviceSegments, Error, Reducer, View, bf16, f16,
};
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

/// An array on a GPU, without Python.
pub(crate) struct GpuView {
    ty: Scalar,
    /// The address of the lowest element, and the number of elements from there to the highest.
    address: CUdeviceptr,
    len: usize,
    view: View<()>,
}

impl GpuView {
    /// Returns the elements of an array.
    pub(crate) fn of(tensor: &Tensor<'_>) -> PyResult<GpuView> {
        let (ty, size) = (tensor.ty, tensor.ty.size());
        let is_aligned = |step: &isize| step % size as isize == 0;
        if !tensor.address.is_multiple_of(size) || !tensor.steps.iter().all(is_aligned) {
            return Err(InputError::new_err(format!(
                "elements are not aligned to {size} bytes; copy the array"
            )));
        }
        if tensor.len() == 0 {
            return Ok(GpuView { ty, address: 0, len: 0, view: View::new((), tensor.shape.clone()) });
        }
        let (low, high) = span(&tensor.shape, &tensor.steps)?;
        let steps = tensor.steps.iter().map(|step| step / size as isize).collect();
        let offset = low.unsigned_abs() / size;
        Ok(GpuView {
            ty,
            address: tensor.address.wrapping_add_signed(low) as CUdeviceptr,
            len: (high - low) as usize / size + 1,
            view: View { data: (), offset, lengths: tensor.shape.clone(), steps },
        })
    }
}

/// Memory of another library as a slice of cudarc, which does not free it.
struct Borrowed<T>(ManuallyDrop<CudaSlice<T>>);

impl<T> Drop for Borrowed<T> {
    fn drop(&mut self) {
        // SAFETY: taken once, here. Leaking it gives the memory back to its owner.
        unsafe { ManuallyDrop::take(&mut self.0) }.leak();
    }
}

/// A slice of any type.
enum Slice {
    Bool(Borrowed<bool>),
    F16(Borrowed<f16>),
    Bf16(Borrowed<bf16>),
    F32(Borrowed<f32>),
    F64(Borrowed<f64>),
    I8(Borrowed<i8>),
    I16(Borrowed<i16>),
    I32(Borrowed<i32>),
    I64(Borrowed<i64>),
    U8(Borrowed<u8>),
    U16(Borrowed<u16>),
    U32(Borrowed<u32>),
    U64(Borrowed<u64>),
}

macro_rules! each {
    ($value:expr, $slice:ident => $body:expr) => {
        match $value {
            Slice::Bool($slice) => $body,
            Slice::F16($slice) => $body,
            Slice::Bf16($slice) => $body,
            Slice::F32($slice) => $body,
            Slice::F64($slice) => $body,
            Slice::I8($slice) => $body,
            Slice::I16($slice) => $body,
            Slice::I32($slice) => $body,
            Slice::I64($slice) => $body,
            Slice::U8($slice) => $body,
            Slice::U16($slice) => $body,
            Slice::U32($slice) => $body,
            Slice::U64($slice) => $body,
        }
    };
}

impl Slice {
    fn of(view: &GpuView, stream: &Arc<CudaStream>) -> Slice {
        fn borrowed<T: Element>(view: &GpuView, stream: &Arc<CudaStream>) -> Borrowed<T> {
            // SAFETY: the array has that many elements there; `Borrowed` never frees them.
            Borrowed(ManuallyDrop::new(unsafe { stream.upgrade_device_ptr(view.address, view.len) }))
        }
        match view.ty {
            Scalar::Bool => Slice::Bool(borrowed(view, stream)),
            Scalar::F16 => Slice::F16(borrowed(view, stream)),
            Scalar::Bf16 => Slice::Bf16(borrowed(view, stream)),
            Scalar::F32 => Slice::F32(borrowed(view, stream)),
            Scalar::F64 => Slice::F64(borrowed(view, stream)),
            Scalar::I8 => Slice::I8(borrowed(view, stream)),
            Scalar::I16 => Slice::I16(borrowed(view, stream)),
            Scalar::I32 => Slice::I32(borrowed(view, stream)),
            Scalar::I64 => Slice::I64(borrowed(view, stream)),
            Scalar::U8 => Slice::U8(borrowed(view, stream)),
            Scalar::U16 => Slice::U16(borrowed(view, stream)),
            Scalar::U32 => Slice::U32(borrowed(view, stream)),
            Scalar::U64 => Slice::U64(borrowed(view, stream)),
        }
    }

    fn input<'a>(&'a self, stream: &'a Arc<CudaStream>) -> DeviceInput<'a> {
        each!(self, slice => DeviceInput::on_stream(stream, &*slice.0))
    }
}

/// What a call has queued. Its memory is freed in the order of the stream.
pub(crate) enum Queued {
    Groups(DeviceGroups),
    /// With the number of the stream for which the workspace is kept.
    Lent(Lent, Option<u64>),
    /// An array that the results are written to.
    Placed(Py<PyAny>),
    Segments(DeviceSegments),
    Runs(DeviceRuns, usize),
    Keys(DeviceKeys),
}

/// A call on a GPU.
pub(crate) struct Call<'c> {
    pub(crate) gpu: &'c Gpu,
    pub(crate) reducer: &'c Arc<Reducer>,
    pub(crate) workspaces: &'c Workspaces,
    pub(crate) stream: usize,
    pub(crate) params: &'c [Value],
    /// Whether to wait for the results, and to report offsets and keys that are wrong.
    pub(crate) check: bool,
}

impl Call<'_> {
    /// Queues the call, and returns arrays for its results.
    pub(crate) fn run<'py>(
        &self,
        py: Python<'py>,
        views: &[GpuView],
        cut: Option<&GpuView>,
        library: Library,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.reducer.operation().asserts {
            let message = "a specification with assertions reduces arrays on a GPU in Rust only: they fail when the result is read";
            return Err(InputError::new_err(message));
        }
        if self.reducer.operation().nothing.is_some() {
            let message =
                "on a GPU, a group whose elements are all absent needs a result; write `empty: value`";
            return Err(InputError::new_err(message));
        }
        let stream = self.gpu.stream(self.stream);
        let queued = py.detach(|| self.queue(&stream, views, cut, library));
        let mut queued = queued.map_err(|error| errors::of_runtime(&error))?;
        if let Queued::Placed(array) = &queued {
            return Ok(array.clone_ref(py).into_bound(py));
        }
        let results = self.results(py, &mut queued, &stream, library);
        if let Queued::Lent(lent, Some(number)) = queued {
            self.workspaces.keep(number, lent);
        }
        results
    }

    fn queue(
        &self,
        stream: &Arc<CudaStream>,
        views: &[GpuView],
        cut: Option<&GpuView>,
        library: Library,
    ) -> Result<Queued, Error> {
        // Memory of the caller's library is also that of its graphs.
        let is_lent =
            matches!(library, Library::Torch | Library::Cupy) && views.iter().all(|view| view.len > 0);
        let slices: Vec<_> = views.iter().map(|view| Slice::of(view, stream)).collect();
        let inputs: Vec<_> = slices.iter().map(|slice| slice.input(stream)).collect();
        let views: Vec<_> =
            views.iter().zip(&inputs).map(|(view, input)| view.view.with_data(input)).collect();
        let slice = cut.map(|cut| Slice::of(cut, stream));
        let given = slice.as_ref().map(|slice| slice.input(stream));
        let (reducer, params) = (self.reducer, self.params);
        match (reducer.axes().map(|axes| axes.cut), &given) {
            (Some(Cut::Offsets(_)), Some(offsets)) => {
                let mut segments = reducer.reduce_segments_device(&views, offsets, params)?;
                if self.check {
                    segments.read()?;
                }
                Ok(Queued::Segments(segments))
            }
            (Some(Cut::Runs(_)), Some(keys)) => {
                let mut runs = reducer.reduce_runs_device(&views, keys, params)?;
                let number = runs.read()?.keys.len();
                Ok(Queued::Runs(runs, number))
            }
            (Some(Cut::Keys(_)), keys) => {
                let mut results = reducer.reduce_keys_device(&views, keys.as_ref(), params)?;
                if self.check {
                    results.read()?;
                }
                Ok(Queued::Keys(results))
            }
            _ if is_lent => self.queue_lent(stream, &views, library),
            _ => Ok(Queued::Groups(reducer.reduce_groups_device(&views, params)?)),
        }
    }

    /// Copies what was queued into arrays of the caller's library, in the order of the stream.
    fn results<'py>(
        &self,
        py: Python<'py>,
        queued: &mut Queued,
        stream: &Arc<CudaStream>,
        library: Library,
    ) -> PyResult<Bound<'py, PyAny>> {
        let output = self.reducer.operation().output.clone();
        let (from, shape) = queued.results()?;
        let offsets = output.offsets();
        let field = |(field, offset): (&reducegen::ir::func::Param, &usize)| {
            let from = Column { address: from + *offset as u64, pitch: output.size(), ty: field.ty };
            self.array(py, from, &shape, (stream, library))
        };
        let fields = output.fields.iter().zip(&offsets).map(field).collect::<PyResult<Vec<_>>>()?;
        let values = results::record(py, &output, fields)?;
        let Queued::Runs(runs, number) = queued else { return Ok(values) };
        let Some(Cut::Runs(ty)) = self.reducer.axes().map(|axes| axes.cut) else {
            return Err(bug("runs have no type of keys"));
        };
        let keys = Column { address: runs.keys_ptr(), pitch: Record::scalar(ty).size(), ty };
        results::runs(self.array(py, keys, &[*number], (stream, library))?, values)
    }

    /// Copies results into a new array.
    fn array<'py>(
        &self,
        py: Python<'py>,
        from: Column,
        shape: &[usize],
        (stream, library): (&Arc<CudaStream>, Library),
    ) -> PyResult<Bound<'py, PyAny>> {
        let groups = shape.iter().product::<usize>();
        if matches!(library, Library::Torch | Library::Cupy) {
            let place = (Place::Cuda(self.gpu.context.ordinal()), self.stream);
            let array = empty(py, library, from.ty, shape, place)?;
            from.copy(arrays::address(&array, library)? as CUdeviceptr, groups, stream)?;
            return Ok(array);
        }
        // SAFETY: every byte is written by the copy before anybody reads it, in the order of the stream.
        let memory = unsafe { stream.alloc::<u8>((groups * from.ty.size()).max(1)) };
        let memory = Memory::of_gpu(memory.map_err(|error| failed(&error))?);
        from.copy(memory.address() as CUdeviceptr, groups, stream)?;
        results::adopted(py, library, DeviceArray::new(Arc::new(memory), from.ty, shape.to_vec()))
    }
}

impl Queued {
    /// Returns the address of the results that are to be copied, and their shape.
    fn results(&mut self) -> PyResult<(CUdeviceptr, Vec<usize>)> {
        let shape = |shape: &[u64]| shape.iter().map(|&length| length as usize).collect();
        let of_groups = |groups: &mut DeviceGroups| {
            let lengths = shape(groups.shape());
            (groups.workspace().result_ptr(), lengths)
        };
        Ok(match self {
            Queued::Groups(groups) => of_groups(groups),
            Queued::Lent(lent, _) => of_groups(&mut lent.groups),
            Queued::Placed(_) => return Err(bug("results are copied that lie where they belong")),
            Queued::Segments(segments) => (segments.result_ptr(), shape(segments.shape())),
            Queued::Runs(runs, number) => (runs.result_ptr(), vec![*number]),
            Queued::Keys(keys) => (keys.result_ptr(), vec![keys.len()]),
        })
    }
}

/// A field of results that lie one after the other.
struct Column {
    address: CUdeviceptr,
    /// The distance from one result to the next.
    pitch: usize,
    ty: Scalar,
}

impl Column {
    /// Queues a copy of the fields of all groups, side by side.
    fn copy(&self, to: CUdeviceptr, groups: usize, stream: &CudaStream) -> PyResult<()> {
        if groups == 0 {
            return Ok(());
        }
        let size = self.ty.size();
        stream.context().bind_to_thread().map_err(|error| failed(&error))?;
        // SAFETY: the source has that many results, and the destination room for their fields; both are freed in the order of the
        // stream, or kept by Python.
        let copied = unsafe {
            if self.pitch == size {
                result::memcpy_dtod_async(to, self.address, groups * size, stream.cu_stream())
            } else {
                let copy = sys::CUDA_MEMCPY2D {
                    srcXInBytes: 0,
                    srcY: 0,
                    srcHost: ptr::null(),
                    srcArray: ptr::null_mut(),
                    dstXInBytes: 0,
                    dstY: 0,
                    dstHost: ptr::null_mut(),
                    dstArray: ptr::null_mut(),
                    srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    srcDevice: self.address,
                    srcPitch: self.pitch,
                    dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    dstDevice: to,
                    dstPitch: size,
                    WidthInBytes: size,
                    Height: groups,
                };
                sys::cuMemcpy2DAsync_v2(&copy, stream.cu_stream()).result()
            }
        };
        copied.map_err(|error| failed(&error))
    }
}
