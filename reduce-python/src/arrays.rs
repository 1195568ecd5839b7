//! Arrays of NumPy, PyTorch and CuPy, read by the attributes of their classes: faster than a general protocol.

use crate::errors::{DtypeError, InputError};
use crate::tensor::{Library, Owner, Place, Tensor};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::{ffi, intern};
use reducegen::ir::Scalar;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

/// NumPy's `PyArrayInterface`, the contents of the capsule `__array_struct__`.
#[repr(C)]
struct ArrayStruct {
    two: c_int,
    axes: c_int,
    kind: c_char,
    item_size: c_int,
    flags: c_int,
    shape: *const isize,
    strides: *const isize,
    data: *mut c_void,
}

/// The flag of elements in the byte order of the machine.
const NATIVE: c_int = 0x200;

/// Reads a NumPy array. Elements in foreign byte order are copied.
pub(crate) fn of_numpy<'py>(object: &Bound<'py, PyAny>) -> PyResult<Tensor<'py>> {
    let py = object.py();
    let capsule = object.getattr(intern!(py, "__array_struct__"))?;
    // SAFETY: the pointer of a capsule without a name, or null with an exception.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), std::ptr::null()) };
    if pointer.is_null() {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: the capsule of a `numpy.ndarray` holds this struct, and lives.
    let array = unsafe { &*pointer.cast::<ArrayStruct>() };
    if array.two != 2 {
        return Err(InputError::new_err("this version of NumPy's `__array_struct__` is unknown"));
    }
    let Some(ty) = scalar_of(array.kind as u8, array.item_size, object)? else {
        return Err(unknown_dtype(object));
    };
    if array.flags & NATIVE == 0 && ty.size() > 1 {
        let native = object.getattr("dtype")?.call_method1("newbyteorder", ("=",))?;
        return of_numpy(&object.call_method1("astype", (native,))?);
    }
    let [shape, steps] = [array.shape, array.strides].map(|numbers| {
        let axes = if numbers.is_null() { 0 } else { array.axes as usize };
        // SAFETY: both have a number for each axis.
        (0..axes).map(|axis| unsafe { *numbers.add(axis) }).collect::<Vec<_>>()
    });
    Ok(Tensor {
        ty,
        address: array.data as usize,
        shape: shape.into_iter().map(|length| length as usize).collect(),
        steps,
        place: Place::Host,
        library: Library::Numpy,
        written_on: None,
        owner: Owner::Object(object.clone()),
    })
}

/// Returns the type of elements of a kind and size. Type `bfloat16` has the kind of raw bytes.
fn scalar_of(kind: u8, size: c_int, object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if (kind, size) == (b'V', 2) {
        let name: String = object.getattr("dtype")?.getattr("name")?.extract()?;
        return Ok((name == "bfloat16").then_some(Scalar::Bf16));
    }
    Ok(scalar(kind, size as usize))
}

/// Returns the type of elements of one of NumPy's kinds, with that many bytes.
pub(crate) fn scalar(kind: u8, size: usize) -> Option<Scalar> {
    match (kind, size) {
        (b'b', 1) => Some(Scalar::Bool),
        (b'f', 2) => Some(Scalar::F16),
        (b'f', 4) => Some(Scalar::F32),
        (b'f', 8) => Some(Scalar::F64),
        (b'i', 1) => Some(Scalar::I8),
        (b'i', 2) => Some(Scalar::I16),
        (b'i', 4) => Some(Scalar::I32),
        (b'i', 8) => Some(Scalar::I64),
        (b'u', 1) => Some(Scalar::U8),
        (b'u', 2) => Some(Scalar::U16),
        (b'u', 4) => Some(Scalar::U32),
        (b'u', 8) => Some(Scalar::U64),
        _ => None,
    }
}

/// Returns the name of a type in NumPy, PyTorch and CuPy.
pub(crate) fn name(ty: Scalar) -> &'static str {
    match ty {
        Scalar::Bool => "bool",
        Scalar::F16 => "float16",
        Scalar::Bf16 => "bfloat16",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
        Scalar::I8 => "int8",
        Scalar::I16 => "int16",
        Scalar::I32 => "int32",
        Scalar::I64 => "int64",
        Scalar::U8 => "uint8",
        Scalar::U16 => "uint16",
        Scalar::U32 => "uint32",
        Scalar::U64 => "uint64",
    }
}

/// Returns the letter of NumPy for the kind of a type. NumPy itself has no `bfloat16`.
pub(crate) fn kind(ty: Scalar) -> Option<char> {
    match ty {
        Scalar::Bf16 => None,
        Scalar::Bool => Some('b'),
        Scalar::F16 | Scalar::F32 | Scalar::F64 => Some('f'),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => Some('i'),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Some('u'),
    }
}

/// Returns the type of that name.
pub(crate) fn of_name(text: &str) -> Option<Scalar> {
    Scalar::ALL.into_iter().find(|&ty| name(ty) == text)
}

/// Returns the exception for an array whose elements are no scalars of this library.
pub(crate) fn unknown_dtype(object: &Bound<'_, PyAny>) -> PyErr {
    let found = object.getattr("dtype").map_or_else(|_| "of this type".to_owned(), |it| it.to_string());
    let known = Scalar::ALL.map(name).join(", ");
    DtypeError::new_err(format!("elements are {found}; convert them to one of {known}"))
}

/// Returns a NumPy array of an object that NumPy can read: an array of another library, a buffer, a list or a number.
pub(crate) fn as_numpy<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let numpy = py.import(intern!(py, "numpy")).map_err(|error| {
        if !error.is_instance_of::<PyImportError>(py) {
            return error;
        }
        let found = object.get_type().to_string();
        DtypeError::new_err(format!(
            "{found} exports no DLPack, and NumPy, which may read it, is not installed"
        ))
    })?;
    numpy.call_method1(intern!(py, "asarray"), (object,))
}

/// Returns the scalar of a type of PyTorch. There is one object for each type.
fn of_torch_dtype(dtype: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    static KNOWN: Mutex<Vec<(Py<PyAny>, Scalar)>> = Mutex::new(Vec::new());
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, ty)) = lock().iter().find(|(it, _)| it.is(dtype)) {
        return Ok(Some(*ty));
    }
    // Python may run another thread here, which must not wait for the lock.
    let name = dtype.str()?;
    let ty = name.to_cow()?.strip_prefix("torch.").and_then(of_name);
    lock().extend(ty.map(|ty| (dtype.clone().unbind(), ty)));
    Ok(ty)
}

/// Returns whether it is the layout of dense tensors, which is one object.
fn is_strided(layout: &Bound<'_, PyAny>) -> PyResult<bool> {
    static STRIDED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if STRIDED.get(layout.py()).is_some_and(|it| it.is(layout)) {
        return Ok(true);
    }
    let is_it = layout.str()?.to_cow()? == "torch.strided";
    if is_it {
        // Another thread may have set the same.
        let _ = STRIDED.set(layout.py(), layout.clone().unbind());
    }
    Ok(is_it)
}

/// Returns the address of an array that this package has allocated in memory of a GPU.
pub(crate) fn address(array: &Bound<'_, PyAny>, library: Library) -> PyResult<usize> {
    let py = array.py();
    match library {
        Library::Torch => array.call_method0(intern!(py, "data_ptr"))?.extract(),
        Library::Numpy | Library::Cupy | Library::Jax | Library::Other => {
            array.getattr(intern!(py, "data"))?.getattr(intern!(py, "ptr"))?.extract()
        }
    }
}

/// Reads a tensor of PyTorch, on the host or a GPU.
pub(crate) fn of_torch<'py>(object: &Bound<'py, PyAny>) -> PyResult<Tensor<'py>> {
    let py = object.py();
    let ty = of_torch_dtype(&object.getattr(intern!(py, "dtype"))?)?.ok_or_else(|| unknown_dtype(object))?;
    let layout = object.getattr(intern!(py, "layout"))?;
    if !is_strided(&layout)? {
        return Err(InputError::new_err(format!(
            "a tensor of layout {layout} has no elements side by side; give `x.to_dense()`"
        )));
    }
    if object.call_method0(intern!(py, "is_neg"))?.is_truthy()? {
        return of_torch(&object.call_method0(intern!(py, "resolve_neg"))?);
    }
    let steps: Vec<isize> = object.call_method0(intern!(py, "stride"))?.extract()?;
    let device = object.getattr(intern!(py, "device"))?;
    let place = match device.getattr(intern!(py, "type"))?.extract::<String>()?.as_str() {
        "cpu" => Place::Host,
        "cuda" => Place::Cuda(object.call_method0(intern!(py, "get_device"))?.extract()?),
        other => {
            return Err(InputError::new_err(format!(
                "tensors on {other} cannot be read; move them to cpu or cuda"
            )));
        }
    };
    Ok(Tensor {
        ty,
        address: object.call_method0(intern!(py, "data_ptr"))?.extract()?,
        shape: object.getattr(intern!(py, "shape"))?.extract()?,
        steps: steps.into_iter().map(|step| step.saturating_mul(ty.size() as isize)).collect(),
        place,
        library: Library::Torch,
        written_on: None,
        owner: Owner::Object(object.clone()),
    })
}

/// Reads an array of CuPy.
pub(crate) fn of_cupy<'py>(object: &Bound<'py, PyAny>) -> PyResult<Tensor<'py>> {
    let py = object.py();
    let dtype = object.getattr(intern!(py, "dtype"))?;
    let kind: String = dtype.getattr(intern!(py, "kind"))?.extract()?;
    let size: usize = dtype.getattr(intern!(py, "itemsize"))?.extract()?;
    let ty = match (kind.as_bytes(), size) {
        (b"V", 2) => of_name(&dtype.getattr(intern!(py, "name"))?.extract::<String>()?),
        ([kind], size) => scalar(*kind, size),
        _ => None,
    };
    let data = object.getattr(intern!(py, "data"))?;
    Ok(Tensor {
        ty: ty.ok_or_else(|| unknown_dtype(object))?,
        address: data.getattr(intern!(py, "ptr"))?.extract()?,
        shape: object.getattr(intern!(py, "shape"))?.extract()?,
        steps: object.getattr(intern!(py, "strides"))?.extract()?,
        place: Place::Cuda(data.getattr(intern!(py, "device_id"))?.extract()?),
        library: Library::Cupy,
        written_on: None,
        owner: Owner::Object(object.clone()),
    })
}
