//! The class `Reduction`: a specification that is called with arrays.

use crate::call::{Arguments, Axis, Keywords};
use crate::errors::{self, InputError};
use crate::gpu::Gpu;
use crate::host::HostView;
use crate::lent::Workspaces;
use crate::on_gpu::{Call, GpuView};
use crate::partials::PyPartials;
use crate::results::Results;
use crate::source::{Form, Source};
use crate::tensor::{Library, Place, Tensor};
use crate::{fork, params, text};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use reducegen::ir::axes::Cut;
use reducegen::ir::{Scalar, Spec, Value};
use reducegen::{Device, Error, LanesRef, Reducer, Span, Strided, View};
use std::sync::{Arc, Mutex, PoisonError};

/// A reduction that is compiled for types, axes and a device when it is first called with them.
#[pyclass(frozen, module = "reducegen")]
pub(crate) struct Reduction {
    source: Source,
    /// Whether groups without elements are an error although the operation has an identity.
    is_nonempty: bool,
    compiled: Mutex<Vec<(Key, Compiled)>>,
}

/// A compiled reduction, with the workspaces of its calls on a GPU.
#[derive(Clone)]
struct Compiled {
    spec: Arc<Spec>,
    reducer: Arc<Reducer>,
    workspaces: Arc<Workspaces>,
}

/// What a compiled reduction is for.
#[derive(PartialEq)]
struct Key {
    types: Vec<Scalar>,
    form: Form,
    place: Place,
}

impl Reduction {
    /// Returns the reduction compiled for the arrays of a call.
    fn compiled(&self, py: Python<'_>, arguments: &Arguments<'_>) -> PyResult<Compiled> {
        let (form, place) = (arguments.form, arguments.target().1);
        let types = || arguments.tensors.iter().map(|tensor| tensor.ty);
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |key: &Key| key.form == form && key.place == place && key.types.iter().copied().eq(types());
        if let Some((_, found)) = compiled.iter().find(|(key, _)| is_it(key)) {
            return Ok(found.clone());
        }
        drop(compiled);
        let types: Vec<_> = types().collect();
        let device = match place {
            Place::Host => Device::host(),
            Place::Cuda(ordinal) => Gpu::open(py, ordinal)?.device,
        };
        let (spec, reducer) = py.detach(|| self.source.compiled(&types, form, &device))?;
        let made = Compiled { spec: Arc::new(spec), reducer: Arc::new(reducer), workspaces: Arc::default() };
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.push((Key { types, form, place }, made.clone()));
        Ok(made)
    }
}

#[pymethods]
impl Reduction {
    /// Reads a specification. Its mistakes are a `SpecificationError`.
    #[new]
    #[pyo3(signature = (spec, *, _template=false, _nonempty=false))]
    fn new(py: Python<'_>, spec: &str, _template: bool, _nonempty: bool) -> PyResult<Reduction> {
        let source = py.detach(|| Source::new(spec, _template))?;
        Ok(Reduction { source, is_nonempty: _nonempty, compiled: Mutex::default() })
    }

    /// Reduces arrays, one for each input. Params are keywords.
    #[pyo3(signature = (*arrays, axis=None, keepdims=false, offsets=None, by=None, stream=None, check=false, **params))]
    #[expect(clippy::too_many_arguments, reason = "the keywords of a Python function")]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        arrays: &Bound<'py, PyTuple>,
        axis: Option<Axis>,
        keepdims: bool,
        offsets: Option<&Bound<'py, PyAny>>,
        by: Option<&Bound<'py, PyAny>>,
        stream: Option<&Bound<'py, PyAny>>,
        check: bool,
        params: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let keywords = Keywords { axis, keepdims, offsets, by, stream };
        let arguments = Arguments::of(self.source.layout, arrays, keywords)?;
        if self.is_nonempty {
            arguments.check_nonempty()?;
        }
        let Compiled { spec, reducer, workspaces } = self.compiled(py, &arguments)?;
        let params = params::values(&spec, params)?;
        match arguments.target() {
            (library, Place::Host) => on_host(py, &reducer, &arguments, &params, library),
            (library, Place::Cuda(ordinal)) => {
                let gpu = Gpu::open(py, ordinal)?;
                let views = arguments.tensors.iter().map(GpuView::of).collect::<PyResult<Vec<_>>>()?;
                let cut = arguments.cut.as_ref().map(GpuView::of).transpose()?;
                let stream = arguments.stream;
                let call = Call {
                    gpu: &gpu,
                    reducer: &reducer,
                    workspaces: &workspaces,
                    stream,
                    params: &params,
                    check,
                };
                call.run(py, &views, cut.as_ref(), library)
            }
        }
    }

    /// Reduces a part of the data on the host, of which `first` is the position of the first element in the whole of `total` elements
    /// of a group. `merge` takes the partials of all parts.
    #[pyo3(signature = (*arrays, first, total, axis=None, keepdims=false, **params))]
    #[expect(clippy::too_many_arguments, reason = "the keywords of a Python function")]
    fn partials<'py>(
        &self,
        py: Python<'py>,
        arrays: &Bound<'py, PyTuple>,
        first: u64,
        total: u64,
        axis: Option<Axis>,
        keepdims: bool,
        params: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<PyPartials> {
        let keywords = Keywords { axis, keepdims, offsets: None, by: None, stream: None };
        let arguments = Arguments::of(self.source.layout, arrays, keywords)?;
        let (_, Place::Host) = arguments.target() else {
            return Err(InputError::new_err("partials are made of arrays on the host; copy the part there"));
        };
        let Compiled { spec, reducer, .. } = self.compiled(py, &arguments)?;
        let params = params::values(&spec, params)?;
        let views = arguments.tensors.iter().map(HostView::of).collect::<PyResult<Vec<_>>>()?;
        let span = Span { first, total };
        let partials = py.detach(|| {
            fork::run(|| match reducer.axes().is_some() {
                true => reducer.partials_groups(&all_views(&views), &params, span),
                false => reducer.partials(&all_strided(&views), &params, span),
            })
        });
        Ok(PyPartials::new(partials.map_err(|error| errors::of_runtime(&error))?))
    }

    /// Returns the number of elements of a chunk, for groups of `total` elements: parts begin and end at multiples of it.
    #[pyo3(signature = (total, *, dtype=None))]
    fn chunk_len(&self, py: Python<'_>, total: u64, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        let types = text::types(dtype)?;
        py.detach(|| {
            let spec = self.source.spec(types.as_deref(), Form::Written)?;
            let of_runtime = |error| errors::of_runtime(&error);
            Reducer::new(&spec, &Device::host())
                .and_then(|reducer| reducer.chunk_len(total))
                .map_err(of_runtime)
        })
    }

    /// Returns the CUDA of the reduction, or another form: `spec`, `ir`, `association`. `dtype` names the types of the inputs, if the
    /// specification does not.
    #[pyo3(signature = (to="cuda", *, n=None, dtype=None))]
    fn emit(
        &self,
        py: Python<'_>,
        to: &str,
        n: Option<u64>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let types = text::types(dtype)?;
        py.detach(|| text::emit(&self.source, types.as_deref(), to, n))
    }

    /// Explains the reduction: its specification, its result, its passes, and the order in which it combines n elements.
    #[pyo3(signature = (*, n=None, dtype=None))]
    fn explain(&self, py: Python<'_>, n: Option<u64>, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let types = text::types(dtype)?;
        py.detach(|| text::explain(&self.source, types.as_deref(), n))
    }

    /// The text of the specification.
    #[getter]
    fn spec(&self) -> &str {
        self.source.text()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (slf.get().source.text().to_owned(),))
    }

    fn __repr__(&self) -> String {
        format!("reducegen.reduction({:?})", self.source.text())
    }
}

/// Reduces arrays in host memory.
fn on_host<'py>(
    py: Python<'py>,
    reducer: &Reducer,
    arguments: &Arguments<'py>,
    params: &[Value],
    library: Library,
) -> PyResult<Bound<'py, PyAny>> {
    let views = arguments.tensors.iter().map(HostView::of).collect::<PyResult<Vec<_>>>()?;
    let cut = arguments.cut.as_ref().map(line).transpose()?;
    let results = py.detach(|| fork::run(|| reduce(reducer, &views, cut.as_ref(), params)));
    let results = results.map_err(|error| errors::of_runtime(&error))?;
    results.into_python(py, library, &reducer.operation().output)
}

/// Returns offsets or keys, side by side.
fn line(tensor: &Tensor<'_>) -> PyResult<HostView> {
    if tensor.shape.len() != 1 {
        let found = tensor.shape.len();
        return Err(InputError::new_err(format!(
            "offsets and keys have one axis, and this array has {found}"
        )));
    }
    HostView::line(tensor)
}

/// Reduces views of host memory as the specification says.
fn reduce(
    reducer: &Reducer,
    views: &[HostView],
    cut: Option<&HostView>,
    params: &[Value],
) -> Result<Results, Error> {
    let Some(axes) = reducer.axes() else {
        return Ok(Results::of_values(reducer.reduce_with(&all_strided(views), params)?.values));
    };
    let views = all_views(views);
    // SAFETY: the caller keeps the array, and the view, until the call returns.
    let given = cut.map(|cut| unsafe { cut.lanes() });
    let groups = match (axes.cut, given) {
        (Cut::Offsets(_), Some(offsets)) => reducer.reduce_segments(&views, offsets.data, params)?,
        (Cut::Keys(_), Some(keys)) => reducer.reduce_keys(&views, keys, params)?,
        (Cut::Runs(_), Some(keys)) => {
            let runs = reducer.reduce_runs(&views, keys.data, params)?;
            return Ok(Results { keys: Some(runs.keys), ..Results::of_groups(runs.groups) });
        }
        (Cut::Whole | Cut::Offsets(_) | Cut::Keys(_) | Cut::Runs(_), _) => {
            reducer.reduce_groups(&views, params)?
        }
    };
    Ok(Results::of_groups(groups))
}

fn all_views<'a>(views: &'a [HostView]) -> Vec<View<LanesRef<'a>>> {
    // SAFETY: the callers keep arrays and views until the reduction returns.
    views.iter().map(|view| unsafe { view.lanes() }).collect()
}

fn all_strided<'a>(views: &'a [HostView]) -> Vec<Strided<LanesRef<'a>>> {
    // SAFETY: as in `all_views`.
    views.iter().map(|view| unsafe { view.strided() }).collect()
}
