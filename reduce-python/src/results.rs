//! Results as Python objects: arrays of the library of the inputs, and named tuples of them.

use crate::arrays;
use crate::device_array::DeviceArray;
use crate::errors::EmptyError;
use crate::memory::Memory;
use crate::source::bug;
use crate::tensor::{Library, Place, Tensor};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use pyo3::{IntoPyObjectExt, intern};
use reducegen::ir::operation::Record;
use reducegen::ir::{Scalar, Value};
use reducegen::{Groups, Lanes};
use std::sync::Arc;

/// Results on the host.
pub(crate) struct Results {
    pub(crate) shape: Vec<usize>,
    /// One vector for each field of the result.
    pub(crate) fields: Vec<Lanes>,
    /// The key of each run, if runs are the groups.
    pub(crate) keys: Option<Lanes>,
    /// The first group without a result.
    pub(crate) absent: Option<usize>,
}

impl Results {
    /// Returns one result.
    pub(crate) fn of_values(values: Vec<Value>) -> Results {
        let fields = values.into_iter().map(|value| Lanes::splat(value, 1)).collect();
        Results { shape: Vec::new(), fields, keys: None, absent: None }
    }

    /// Returns the results of groups.
    pub(crate) fn of_groups(groups: Groups) -> Results {
        let absent = groups.present.and_then(|present| present.iter().position(|is_there| !is_there));
        let shape = groups.shape.into_iter().map(|length| length as usize).collect();
        Results { shape, fields: groups.fields, keys: None, absent }
    }

    /// Returns the results as arrays of a library: one array, or a named tuple of the fields.
    pub(crate) fn into_python<'py>(
        self,
        py: Python<'py>,
        library: Library,
        output: &Record,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(group) = self.absent {
            let message =
                format!("no element of group {group} is left to reduce; write `empty: value`, its result");
            return Err(EmptyError::new_err(message));
        }
        let array = |lanes: &Lanes, shape: &[usize]| host_array(py, library, lanes, shape);
        let fields =
            self.fields.iter().map(|lanes| array(lanes, &self.shape)).collect::<PyResult<Vec<_>>>()?;
        let values = record(py, output, fields)?;
        match &self.keys {
            None => Ok(values),
            Some(keys) => runs(array(keys, &[keys.len()])?, values),
        }
    }
}

/// Returns the fields of a result: the only one, or a named tuple.
pub(crate) fn record<'py>(
    py: Python<'py>,
    output: &Record,
    mut fields: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(name) = &output.name else {
        return fields.pop().ok_or_else(|| bug("a result has no field"));
    };
    let names: Vec<_> = output.fields.iter().map(|field| field.name.as_str()).collect();
    let class = helpers(py)?.call_method1(intern!(py, "record"), (name, PyTuple::new(py, names)?))?;
    class.call1(PyTuple::new(py, fields)?)
}

/// Returns keys and results of runs.
pub(crate) fn runs<'py>(keys: Bound<'py, PyAny>, values: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    helpers(py)?.call_method1(intern!(py, "Runs"), (keys, values))
}

/// The module of functions that are easier to write in Python.
fn helpers(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static HELPERS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module = HELPERS
        .get_or_try_init(py, || Ok::<_, PyErr>(py.import("reducegen._results")?.into_any().unbind()))?;
    Ok(module.bind(py))
}

/// Copies values into a new array; one value of NumPy becomes a scalar.
fn host_array<'py>(
    py: Python<'py>,
    library: Library,
    lanes: &Lanes,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let is_numpy = matches!(library, Library::Numpy | Library::Cupy | Library::Other);
    if is_numpy && shape.is_empty() {
        return numpy_scalar(py, lanes.get(0));
    }
    let (size, source) = (lanes.ty().size(), lanes.borrow());
    if library == Library::Jax {
        let mut words = vec![0u64; (lanes.len() * size).div_ceil(8).max(1)];
        // SAFETY: the words have that many bytes, and nothing else points to them.
        unsafe {
            std::ptr::copy_nonoverlapping(source.as_ptr(), words.as_mut_ptr().cast(), lanes.len() * size)
        };
        let memory = Arc::new(Memory::of_host(words));
        return adopted(py, library, DeviceArray::new(memory, lanes.ty(), shape.to_vec()));
    }
    let array = empty(py, library, lanes.ty(), shape, (Place::Host, 0))?;
    let tensor = Tensor::of(&array, None)?;
    if tensor.ty != lanes.ty() || tensor.len() != lanes.len() || !tensor.is_row_major() {
        return Err(bug("an array for results has another type or length"));
    }
    // SAFETY: a new array with as many elements of the same size, which lie side by side.
    unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), tensor.address as *mut u8, lanes.len() * size) };
    Ok(array)
}

/// Allocates an array of a library. On a GPU its memory is ordered by `stream`.
pub(crate) fn empty<'py>(
    py: Python<'py>,
    library: Library,
    ty: Scalar,
    shape: &[usize],
    (place, stream): (Place, usize),
) -> PyResult<Bound<'py, PyAny>> {
    let function = match (library, place) {
        (Library::Torch, Place::Host) => intern!(py, "torch_on_host"),
        (Library::Torch, Place::Cuda(_)) => intern!(py, "torch_on_gpu"),
        (_, Place::Host) => intern!(py, "numpy_on_host"),
        (_, Place::Cuda(_)) => intern!(py, "cupy_on_gpu"),
    };
    let (shape, name) = (PyTuple::new(py, shape)?, arrays::name(ty));
    match place {
        Place::Host => helpers(py)?.call_method1(function, (shape, name)),
        Place::Cuda(ordinal) => helpers(py)?.call_method1(function, (shape, name, ordinal, stream)),
    }
}

/// Returns a result in memory of this library as an array of the library of the inputs, if that takes memory of others.
pub(crate) fn adopted<'py>(
    py: Python<'py>,
    library: Library,
    array: DeviceArray,
) -> PyResult<Bound<'py, PyAny>> {
    let array = array.into_bound_py_any(py)?;
    match library {
        Library::Jax => helpers(py)?.call_method1(intern!(py, "jax_of"), (array,)),
        Library::Numpy | Library::Torch | Library::Cupy | Library::Other => Ok(array),
    }
}

/// Returns a scalar of NumPy.
fn numpy_scalar(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    static TYPES: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
    if value.ty() == Scalar::Bf16 {
        let ty = helpers(py)?.call_method1(intern!(py, "numpy_type"), (arrays::name(Scalar::Bf16),))?;
        return ty.call1((value.as_f64(),));
    }
    let types = TYPES.get_or_try_init(py, || {
        let of = |ty: Scalar| {
            if ty == Scalar::Bf16 {
                return Ok(py.None());
            }
            helpers(py)?.call_method1(intern!(py, "numpy_type"), (arrays::name(ty),)).map(Bound::unbind)
        };
        Scalar::ALL.into_iter().map(of).collect::<PyResult<_>>()
    })?;
    let at = Scalar::ALL.iter().position(|&ty| ty == value.ty()).unwrap_or_default();
    let ty = types[at].bind(py);
    match (value.as_f64(), value.as_int()) {
        (Some(float), _) => ty.call1((float,)),
        (None, Some(number)) if value.ty() == Scalar::U64 => ty.call1((number as u64,)),
        (None, number) => ty.call1((number.unwrap_or_default() as i64,)),
    }
}
