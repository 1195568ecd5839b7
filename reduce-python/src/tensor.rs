//! Arrays of any Python library: where their elements lie, and whose they are.

use crate::dlpack;
use crate::errors::DtypeError;
use crate::{arrays, cuda_interface};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use reducegen::ir::Scalar;
use std::sync::{Mutex, PoisonError};

/// The library that an array belongs to. Results are arrays of the same library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Numpy,
    Torch,
    Cupy,
    Jax,
    /// Any other one. On the host its results are those of NumPy, on a GPU they are `DeviceArray`s.
    Other,
}

/// The memory that an array lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Host,
    /// The GPU of that number.
    Cuda(usize),
}

/// An array: the address of its elements, their type and their places.
pub(crate) struct Tensor<'py> {
    pub(crate) ty: Scalar,
    /// The address of the element at coordinates 0.
    pub(crate) address: usize,
    pub(crate) shape: Vec<usize>,
    /// The distance along each axis, in bytes.
    pub(crate) steps: Vec<isize>,
    pub(crate) place: Place,
    pub(crate) library: Library,
    /// The stream that its elements are written on, if the array names one.
    pub(crate) written_on: Option<usize>,
    /// Keeps the memory.
    #[expect(dead_code, reason = "it is kept, not read")]
    pub(crate) owner: Owner<'py>,
}

/// The owner of the memory of an array.
#[expect(dead_code, reason = "they are kept, not read")]
pub(crate) enum Owner<'py> {
    Object(Bound<'py, PyAny>),
    Capsule(dlpack::Imported),
}

impl<'py> Tensor<'py> {
    /// Reads any array. `stream` is the one on which elements in the memory of a GPU are read, if the caller named one.
    pub(crate) fn of(object: &Bound<'py, PyAny>, stream: Option<usize>) -> PyResult<Tensor<'py>> {
        match library(object)? {
            Some(Library::Numpy) => arrays::of_numpy(object),
            Some(Library::Torch) => arrays::of_torch(object),
            Some(Library::Cupy) => arrays::of_cupy(object),
            Some(library @ (Library::Jax | Library::Other)) => dlpack::import(object, library, stream),
            None if object.hasattr(intern!(object.py(), "__cuda_array_interface__"))? => {
                cuda_interface::import(object)
            }
            None => arrays::of_numpy(&arrays::as_numpy(object)?),
        }
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns whether the elements lie side by side, the last axis fastest.
    pub(crate) fn is_row_major(&self) -> bool {
        let mut expected = self.ty.size() as isize;
        self.shape.iter().zip(&self.steps).rev().all(|(&length, &step)| {
            let fits = length <= 1 || step == expected;
            expected = expected.saturating_mul(length as isize);
            fits
        }) || self.shape.contains(&0)
    }

    /// Returns the same elements, repeated along the axes of another shape as NumPy does. `None` if they do not fit.
    pub(crate) fn broadcast(&mut self, shape: &[usize]) -> Option<()> {
        let added = shape.len().checked_sub(self.shape.len())?;
        let mut steps = vec![0; shape.len()];
        for (axis, (&length, &step)) in self.shape.iter().zip(&self.steps).enumerate() {
            match shape[added + axis] {
                it if it == length => steps[added + axis] = step,
                _ if length == 1 => {}
                _ => return None,
            }
        }
        (self.shape, self.steps) = (shape.to_vec(), steps);
        Some(())
    }
}

/// Types of arrays that were met, with their libraries.
static KNOWN: Mutex<Vec<(Py<PyType>, Library)>> = Mutex::new(Vec::new());
/// Programs may make classes without end.
const MOST_KNOWN: usize = 64;

/// Returns the library of an array. `None`: the object exports neither its library's array nor DLPack.
fn library(object: &Bound<'_, PyAny>) -> PyResult<Option<Library>> {
    let ty = object.get_type();
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, library)) = known.iter().find(|(it, _)| it.is(&ty)) {
        return Ok(Some(*library));
    }
    drop(known);
    let found = match library_of_type(&ty)? {
        None => object.hasattr(intern!(object.py(), "__dlpack__"))?.then_some(Library::Other),
        some => some,
    };
    if let Some(library) = found {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST_KNOWN {
            known.push((ty.unbind(), library));
        }
    }
    Ok(found)
}

fn library_of_type(ty: &Bound<'_, PyType>) -> PyResult<Option<Library>> {
    let bases = ty.getattr(intern!(ty.py(), "__mro__"))?;
    for base in bases.cast::<PyTuple>()? {
        let module = base.getattr(intern!(ty.py(), "__module__"))?.extract::<String>().unwrap_or_default();
        let name = base.getattr(intern!(ty.py(), "__name__"))?.extract::<String>()?;
        match (module.split('.').next().unwrap_or_default(), name.as_str()) {
            ("numpy", "MaskedArray") => {
                let message = "a masked array is not one array; give `x.data`, and `where=~x.mask` to a function that takes it";
                return Err(DtypeError::new_err(message));
            }
            ("numpy", "ndarray") => return Ok(Some(Library::Numpy)),
            ("torch", "Tensor") => return Ok(Some(Library::Torch)),
            ("cupy", "ndarray") => return Ok(Some(Library::Cupy)),
            ("jax" | "jaxlib", "Array" | "ArrayImpl") => return Ok(Some(Library::Jax)),
            _ => {}
        }
    }
    Ok(None)
}
