//! The Python package `reducegen`: reductions of arrays of NumPy, PyTorch, CuPy and everything that exports DLPack.
//!
//! `call` reads the arguments, `source` makes the specification, and `reduction` runs it on the host, or `on_gpu`.

mod arrays;
mod call;
mod cuda_interface;
mod device_array;
mod dlpack;
mod errors;
mod fork;
mod gpu;
mod host;
mod lent;
mod memory;
mod on_gpu;
mod params;
mod partials;
mod reduction;
mod results;
mod source;
mod tensor;
mod text;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<reduction::Reduction>()?;
    module.add_class::<partials::PyPartials>()?;
    module.add_class::<device_array::DeviceArray>()?;
    module.add_function(wrap_pyfunction!(partials::merge, module)?)?;
    module.add_function(wrap_pyfunction!(fork::_forked, module)?)?;
    module.add_function(wrap_pyfunction!(operators, module)?)
}

/// The names of all operators.
#[pyfunction]
fn operators() -> Vec<&'static str> {
    reducegen::OPERATORS.iter().map(|operator| operator.name).collect()
}
