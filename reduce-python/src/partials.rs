//! The class `Partials`: the reduction of a part of the data.

use crate::errors::{self, PartialsError};
use crate::results::Results;
use crate::tensor::Library;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use reducegen::{Device, Error, Partials, Reducer};

/// The partials of a part of the data. They can be pickled, and sent as bytes.
#[pyclass(frozen, module = "reducegen", name = "Partials")]
pub(crate) struct PyPartials {
    partials: Partials,
}

impl PyPartials {
    pub(crate) fn new(partials: Partials) -> PyPartials {
        PyPartials { partials }
    }
}

#[pymethods]
impl PyPartials {
    /// Reads bytes of `to_bytes`. Damaged ones are a `PartialsError`.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<PyPartials> {
        let partials = Partials::from_bytes(bytes);
        Ok(PyPartials::new(partials.map_err(|error| PartialsError::new_err(error.to_string()))?))
    }

    /// Returns bytes for other processes and machines.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.partials.to_bytes())
    }

    /// The specification in its canonical spelling.
    #[getter]
    fn spec(&self) -> &str {
        self.partials.spec()
    }

    /// The positions of the first element and of the end of the part.
    #[getter]
    fn range(&self) -> (u64, u64) {
        let range = self.partials.range();
        (range.start, range.end)
    }

    /// The number of elements of the whole, in a group.
    #[getter]
    fn total(&self) -> u64 {
        self.partials.total()
    }

    /// The shape of the result.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.partials.shape())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let class: Bound<'_, PyType> = slf.get_type();
        Ok((class.getattr("from_bytes")?, (slf.get().to_bytes(slf.py()),)))
    }

    fn __repr__(&self) -> String {
        let (first, end) = self.range();
        format!("Partials({first}:{end} of {}, {:?})", self.partials.total(), self.partials.spec())
    }
}

/// Merges the partials of all parts, in any order. The result has the bits of a reduction of the whole.
#[pyfunction]
pub(crate) fn merge<'py>(py: Python<'py>, parts: Vec<Bound<'py, PyPartials>>) -> PyResult<Bound<'py, PyAny>> {
    let parts: Vec<_> = parts.iter().map(|part| part.get().partials.clone()).collect();
    let (reducer, results) = py.detach(|| merged(&parts))?;
    results.into_python(py, Library::Numpy, &reducer.operation().output)
}

fn merged(parts: &[Partials]) -> PyResult<(Reducer, Results)> {
    let first = parts
        .first()
        .ok_or_else(|| PartialsError::new_err("there are no partials; give those of all parts"))?;
    let spec = reducegen::parse(first.spec()).map_err(|error| errors::of_spec(&error))?;
    let merge = || -> Result<_, Error> {
        let reducer = Reducer::new(&spec, &Device::host())?;
        let results = match reducer.axes() {
            Some(_) => Results::of_groups(reducer.merge_groups(parts)?),
            None => Results::of_values(reducer.merge(parts)?.values),
        };
        Ok((reducer, results))
    };
    merge().map_err(|error| errors::of_runtime(&error))
}
