//! Results on a GPU for libraries that this one does not know: arrays that export DLPack.

use crate::arrays;
use crate::dlpack;
use crate::errors::InputError;
use crate::memory::Memory;
use crate::results::Results;
use crate::tensor::{Library, Place, Tensor};
use crate::{gpu, host};
use pyo3::exceptions::{PyAttributeError, PyBufferError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use reducegen::ir::Scalar;
use std::sync::Arc;

/// Results in memory of reducegen. Any library that reads DLPack or `__cuda_array_interface__` takes it without a copy.
#[pyclass(frozen, module = "reducegen")]
pub(crate) struct DeviceArray {
    memory: Arc<Memory>,
    ty: Scalar,
    shape: Vec<usize>,
}

impl DeviceArray {
    /// Takes elements that lie side by side.
    pub(crate) fn new(memory: Arc<Memory>, ty: Scalar, shape: Vec<usize>) -> DeviceArray {
        DeviceArray { memory, ty, shape }
    }
}

#[pymethods]
impl DeviceArray {
    /// A copy of an array on the host, for tests of what this class exports.
    #[staticmethod]
    fn _of_host(array: &Bound<'_, PyAny>) -> PyResult<DeviceArray> {
        let tensor = Tensor::of(array, None)?;
        let words = host::words(&tensor);
        Ok(DeviceArray::new(Arc::new(Memory::of_host(words)), tensor.ty, tensor.shape))
    }

    /// The length of each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The name of the type of the elements, as in NumPy.
    #[getter]
    fn dtype(&self) -> &'static str {
        arrays::name(self.ty)
    }

    /// Waits for the results and copies them to a NumPy array.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let lanes = py.detach(|| gpu::read(&self.memory, self.ty, self.shape.iter().product()))?;
        let results = Results { shape: self.shape.clone(), fields: vec![lanes], keys: None, absent: None };
        results.into_python(py, Library::Numpy, &reducegen::ir::operation::Record::scalar(self.ty))
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device(self.memory.place())
    }

    /// Returns a capsule. `stream` waits until the results are written: None or 1 is the legacy default stream, -1 waits for nothing.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<isize>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if dl_device.is_some_and(|device| device != dlpack::device(self.memory.place())) {
            return Err(PyBufferError::new_err(
                "results are exported on their own device; copy them with `numpy()`",
            ));
        }
        if copy == Some(true) {
            return Err(PyBufferError::new_err(
                "results are exported without a copy; let the consumer copy them",
            ));
        }
        if stream == Some(0) {
            return Err(InputError::new_err("stream 0 is ambiguous in DLPack; give 1, 2 or a handle"));
        }
        gpu::order(&self.memory, stream)?;
        let is_versioned = max_version.is_some_and(|(major, _)| major >= 1);
        dlpack::export(py, &self.memory, (self.ty, &self.shape), is_versioned)
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stream = match (self.memory.place(), self.memory.stream()) {
            (Place::Cuda(_), Some(stream)) => (stream.cu_stream() as usize).max(1),
            _ => return Err(PyAttributeError::new_err("the array lies on the host")),
        };
        let Some(kind) = arrays::kind(self.ty) else {
            return Err(PyAttributeError::new_err("the interface has no bfloat16; use DLPack"));
        };
        let interface = PyDict::new(py);
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", format!("<{kind}{}", self.ty.size()))?;
        interface.set_item("data", (self.memory.address(), false))?;
        interface.set_item("version", 3)?;
        interface.set_item("stream", stream)?;
        Ok(interface)
    }

    fn __repr__(&self) -> String {
        let place = match self.memory.place() {
            Place::Host => "host".to_owned(),
            Place::Cuda(ordinal) => format!("cuda:{ordinal}"),
        };
        format!("DeviceArray(shape={:?}, dtype={}, device={place})", self.shape, self.dtype())
    }
}
