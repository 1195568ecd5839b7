//! Arrays by `__cuda_array_interface__`, version 3, as those of Numba.

use crate::arrays::{scalar, unknown_dtype};
use crate::errors::InputError;
use crate::tensor::{Library, Owner, Place, Tensor};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use reducegen::ir::Scalar;

/// Reads an array. The interface does not name its GPU, so it is the current one of the caller: number 0 unless the array has a `device`.
pub(crate) fn import<'py>(object: &Bound<'py, PyAny>) -> PyResult<Tensor<'py>> {
    let interface = object.getattr(intern!(object.py(), "__cuda_array_interface__"))?;
    let interface = interface.cast_into::<PyDict>().map_err(PyErr::from)?;
    let item = |name: &str| interface.get_item(name).map(|it| it.filter(|it| !it.is_none()));
    let missing = |name: &str| InputError::new_err(format!("`__cuda_array_interface__` has no `{name}`"));
    if item("mask")?.is_some() {
        return Err(InputError::new_err(
            "the array has a mask, which would be ignored; give the array without it",
        ));
    }
    let text: String = item("typestr")?.ok_or_else(|| missing("typestr"))?.extract()?;
    let ty = parsed(&text).ok_or_else(|| unknown_dtype(object))?;
    let shape: Vec<usize> = item("shape")?.ok_or_else(|| missing("shape"))?.extract()?;
    let (address, _): (usize, bool) = item("data")?.ok_or_else(|| missing("data"))?.extract()?;
    let steps = match item("strides")? {
        Some(steps) => steps.extract()?,
        None => row_major(&shape, ty.size()),
    };
    if steps.len() != shape.len() {
        return Err(InputError::new_err("`__cuda_array_interface__` needs one stride for each axis"));
    }
    let written_on = item("stream")?.map(|it| it.extract::<usize>()).transpose()?;
    Ok(Tensor {
        ty,
        address,
        shape,
        steps,
        place: Place::Cuda(ordinal(object)),
        library: Library::Other,
        written_on,
        owner: Owner::Object(object.clone()),
    })
}

/// Returns the number of the GPU, where the array has a device that says so.
fn ordinal(object: &Bound<'_, PyAny>) -> usize {
    let id = |device: Bound<'_, PyAny>| {
        device.getattr("id").or(Ok(device)).and_then(|it: Bound<'_, PyAny>| it.extract())
    };
    object.getattr("device").and_then(id).unwrap_or(0)
}

/// Parses a type such as `<f4`.
fn parsed(text: &str) -> Option<Scalar> {
    let [order, kind, size @ ..] = text.as_bytes() else { return None };
    let ty = scalar(*kind, std::str::from_utf8(size).ok()?.parse().ok()?)?;
    (*order != b'>' || ty.size() == 1).then_some(ty)
}

/// Returns the steps of elements that lie side by side, in bytes.
pub(crate) fn row_major(shape: &[usize], size: usize) -> Vec<isize> {
    let mut steps = vec![0; shape.len()];
    let mut step = size as isize;
    for (place, &length) in steps.iter_mut().zip(shape).rev() {
        *place = step;
        step = step.saturating_mul(length.max(1) as isize);
    }
    steps
}
