//! DLPack: arrays of other libraries in, and results for them out.

mod export;

pub(crate) use export::export;

use crate::arrays::unknown_dtype;
use crate::cuda_interface::row_major;
use crate::errors::InputError;
use crate::tensor::{Library, Owner, Place, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{ffi, intern};
use reducegen::dlpack::{CPU, CUDA, CUDA_HOST, CUDA_MANAGED, Contents, Managed, ManagedVersioned, VERSION};
use std::ffi::CStr;

/// Names of capsules, before and after their contents are taken.
const PLAIN: [&CStr; 2] = [c"dltensor", c"used_dltensor"];
const VERSIONED: [&CStr; 2] = [c"dltensor_versioned", c"used_dltensor_versioned"];

/// The number of the legacy default stream in DLPack; null is the same stream in CUDA.
const LEGACY: usize = 1;

/// Returns the device of a place, as DLPack names it.
pub(crate) fn device(place: Place) -> (i32, i32) {
    match place {
        Place::Host => (CPU, 0),
        Place::Cuda(ordinal) => (CUDA, ordinal as i32),
    }
}

/// Contents of a capsule, which belong to this library now.
pub(crate) enum Imported {
    Plain(*mut Managed),
    Versioned(*mut ManagedVersioned),
}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: the producer's own function, called once, with the pointer that the producer made.
        unsafe {
            match *self {
                Imported::Plain(it) => (*it).deleter.map_or((), |deleter| deleter(it)),
                Imported::Versioned(it) => (*it).deleter.map_or((), |deleter| deleter(it)),
            }
        }
    }
}

impl Imported {
    fn contents(&self) -> &Contents {
        // SAFETY: the producer keeps the contents until the deleter is called.
        unsafe {
            match *self {
                Imported::Plain(it) => &(*it).contents,
                Imported::Versioned(it) => &(*it).contents,
            }
        }
    }
}

/// Takes an array from its producer. On a GPU the producer makes `stream` wait until the elements are written; without one, the legacy
/// default stream.
pub(crate) fn import<'py>(
    object: &Bound<'py, PyAny>,
    library: Library,
    stream: Option<usize>,
) -> PyResult<Tensor<'py>> {
    let py = object.py();
    let device: (i32, i32) = object.call_method0(intern!(py, "__dlpack_device__"))?.extract()?;
    let place = match device.0 {
        CPU | CUDA_HOST => Place::Host,
        CUDA | CUDA_MANAGED => Place::Cuda(usize::try_from(device.1).unwrap_or(0)),
        other => {
            return Err(InputError::new_err(format!(
                "DLPack device {other} is neither the host nor an NVIDIA GPU"
            )));
        }
    };
    let stream = (place != Place::Host).then_some(stream.unwrap_or(0).max(LEGACY));
    let imported = take(&produced(object, stream)?)?;
    let contents = imported.contents();
    let ty = contents.dtype.scalar().ok_or_else(|| unknown_dtype(object))?;
    // SAFETY: the contents have a length, and maybe a stride, for each axis.
    let (shape, strides) = unsafe { contents.axes() };
    let steps = match strides {
        Some(strides) => strides.into_iter().map(|step| step.saturating_mul(ty.size() as isize)).collect(),
        None => row_major(&shape, ty.size()),
    };
    let address = contents.address();
    Ok(Tensor {
        ty,
        address,
        shape,
        steps,
        place,
        library,
        written_on: None,
        owner: Owner::Capsule(imported),
    })
}

/// Asks for a capsule: a versioned one, where the producer knows them.
fn produced<'py>(object: &Bound<'py, PyAny>, stream: Option<usize>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let arguments = PyDict::new(py);
    if let Some(stream) = stream {
        arguments.set_item(intern!(py, "stream"), stream)?;
    }
    let old = arguments.copy()?;
    arguments.set_item(intern!(py, "max_version"), VERSION)?;
    let method = object.getattr(intern!(py, "__dlpack__"))?;
    match method.call((), Some(&arguments)) {
        // Producers of DLPack 0 take no version.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call((), Some(&old)),
        other => other,
    }
}

/// Takes the contents of a capsule, and marks it as used.
fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Imported> {
    let pointer = |name: &CStr| {
        // SAFETY: asks a capsule, if it is one, for its pointer of that name.
        unsafe {
            match ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) {
                0 => None,
                _ => Some(ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr())),
            }
        }
    };
    let (imported, used) = if let Some(it) = pointer(VERSIONED[0]) {
        (Imported::Versioned(it.cast()), VERSIONED[1])
    } else if let Some(it) = pointer(PLAIN[0]) {
        (Imported::Plain(it.cast()), PLAIN[1])
    } else {
        let message = "`__dlpack__` returned no capsule of DLPack 0 or 1, or one that was used before";
        return Err(InputError::new_err(message));
    };
    // SAFETY: a valid capsule; the name is static.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) } != 0 {
        std::mem::forget(imported);
        return Err(PyErr::fetch(capsule.py()));
    }
    if let Imported::Versioned(it) = imported {
        // SAFETY: the version comes first in every version of the struct.
        let major = unsafe { (*it).version.major };
        if major != VERSION.0 {
            return Err(InputError::new_err(format!(
                "DLPack version {major} is unknown; known is {}",
                VERSION.0
            )));
        }
    }
    Ok(imported)
}
