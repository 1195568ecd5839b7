//! The arguments of a call: arrays, axes, offsets and keys.

use crate::errors::{AxisError, DtypeError, EmptyError, InputError};
use crate::gpu;
use crate::source::{Form, Layout};
use crate::tensor::{Library, Place, Tensor};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The axes that a call reduces.
#[derive(FromPyObject)]
pub(crate) enum Axis {
    One(isize),
    Several(Vec<isize>),
}

/// The arguments of a call, besides params.
pub(crate) struct Arguments<'py> {
    pub(crate) tensors: Vec<Tensor<'py>>,
    /// Offsets or keys.
    pub(crate) cut: Option<Tensor<'py>>,
    pub(crate) form: Form,
    /// The stream of the call, if the arrays lie on a GPU.
    pub(crate) stream: usize,
}

/// The keywords of a call that are not params.
pub(crate) struct Keywords<'k, 'py> {
    pub(crate) axis: Option<Axis>,
    pub(crate) keepdims: bool,
    pub(crate) offsets: Option<&'k Bound<'py, PyAny>>,
    pub(crate) by: Option<&'k Bound<'py, PyAny>>,
    pub(crate) stream: Option<&'k Bound<'py, PyAny>>,
}

impl<'py> Arguments<'py> {
    /// Reads the arguments of a call.
    pub(crate) fn of(
        layout: Layout,
        arrays: &Bound<'py, PyTuple>,
        keywords: Keywords<'_, 'py>,
    ) -> PyResult<Arguments<'py>> {
        let cut = cut(layout, &keywords)?;
        let mut stream = keywords.stream.map(gpu::handle).transpose()?;
        let is_named = stream.is_some();
        let mut read = |object: &Bound<'py, PyAny>| {
            let tensor = Tensor::of(object, stream)?;
            if let (Place::Cuda(ordinal), None) = (tensor.place, stream) {
                stream = Some(gpu::current_stream(object.py(), tensor.library, ordinal)?);
            }
            Ok::<_, PyErr>(tensor)
        };
        let mut tensors = arrays.iter_borrowed().map(|it| read(&it)).collect::<PyResult<Vec<_>>>()?;
        let cut = cut.map(&mut read).transpose()?;
        let stream = stream.unwrap_or(0);
        check_places(&tensors, cut.as_ref(), (stream, is_named), arrays.py())?;
        let form = form(layout, &mut tensors, keywords.axis.as_ref(), keywords.keepdims)?;
        Ok(Arguments { tensors, cut, form, stream })
    }

    /// Checks that groups have elements, also if there are no groups, as NumPy does.
    pub(crate) fn check_nonempty(&self) -> PyResult<()> {
        let shape = self.tensors.first().map_or(&[][..], |first| &first.shape);
        let reduced = match self.form {
            Form::Written => u64::MAX,
            Form::Axes { reduced, .. } => reduced,
        };
        let is_reduced = |axis: usize| reduced >> axis.min(63) & 1 == 1;
        if shape.iter().enumerate().any(|(axis, &length)| length == 0 && is_reduced(axis)) {
            let message = "the array has no elements to reduce, and this operator has no value of nothing; give at least one";
            return Err(EmptyError::new_err(message));
        }
        Ok(())
    }

    /// Returns the library and the place of the results.
    pub(crate) fn target(&self) -> (Library, Place) {
        self.tensors.first().map_or((Library::Numpy, Place::Host), |first| (first.library, first.place))
    }
}

/// Returns offsets or keys, whichever the specification takes.
fn cut<'k, 'py>(layout: Layout, keywords: &Keywords<'k, 'py>) -> PyResult<Option<&'k Bound<'py, PyAny>>> {
    let needed = |given: Option<&'k Bound<'py, PyAny>>, message: &str| {
        given.map(Some).ok_or_else(|| InputError::new_err(message.to_owned()))
    };
    let found = match layout {
        Layout::Offsets => {
            needed(keywords.offsets, "the specification has `segments`; give their offsets, as `offsets=`")?
        }
        Layout::Keys => {
            needed(keywords.by, "the specification has `by`; give the keys of the elements, as `by=`")?
        }
        Layout::Flat | Layout::Strided | Layout::Axes => None,
    };
    if keywords.offsets.is_some() && layout != Layout::Offsets {
        return Err(DtypeError::new_err(
            "`offsets=` needs a specification with `segments`, as in `op: sum, segments: i64`",
        ));
    }
    if keywords.by.is_some() && layout != Layout::Keys {
        let message =
            "`by=` needs a specification with keys, as in `op: sum, by: { key: i64 }, groups: runs`";
        return Err(DtypeError::new_err(message));
    }
    Ok(found)
}

/// Checks that all arrays lie in one place. The stream of a call waits for the streams on which its other arrays are written, unless the
/// caller named the stream.
fn check_places(
    tensors: &[Tensor<'_>],
    cut: Option<&Tensor<'_>>,
    (stream, is_named): (usize, bool),
    py: Python<'_>,
) -> PyResult<()> {
    let Some(first) = tensors.first() else { return Ok(()) };
    for tensor in tensors.iter().chain(cut) {
        if tensor.place != first.place {
            let message = format!(
                "arrays lie in different places, {:?} and {:?}; move them to one",
                first.place, tensor.place
            );
            return Err(InputError::new_err(message));
        }
        let Place::Cuda(ordinal) = tensor.place else { continue };
        let written_on = match tensor.written_on {
            // The stream of the call is the current one of the library of the first array.
            None if is_named || tensor.library == first.library => None,
            None if matches!(tensor.library, Library::Torch | Library::Cupy) => {
                Some(gpu::current_stream(py, tensor.library, ordinal)?)
            }
            // Producers of DLPack have made the stream wait.
            written_on => written_on,
        };
        if let Some(written_on) = written_on.filter(|&it| it != stream) {
            gpu::Gpu::open(py, ordinal)?.wait(stream, written_on)?;
        }
    }
    Ok(())
}

/// Returns the axes of a call. Arrays that share them are broadcast to one shape.
fn form(layout: Layout, tensors: &mut [Tensor<'_>], axis: Option<&Axis>, keep: bool) -> PyResult<Form> {
    if !matches!(layout, Layout::Flat | Layout::Strided) {
        if axis.is_some() || keep {
            return Err(DtypeError::new_err(
                "the specification says what is reduced; `axis` and `keepdims` are for those that do not",
            ));
        }
        return Ok(Form::Written);
    }
    if axis.is_none() && !keep && is_line(layout, tensors) {
        return Ok(Form::Written);
    }
    let mut shape = common_shape(tensors);
    let axes = shape.len();
    let mut reduced = reduced(axis, axes)?;
    if axes == 0 {
        // The notation has no arrays without axes.
        (shape, reduced) = (vec![1], 1);
    }
    for tensor in tensors {
        let found = tensor.shape.clone();
        if tensor.broadcast(&shape).is_none() {
            return Err(InputError::new_err(format!(
                "an array of shape {found:?} does not broadcast to {shape:?}"
            )));
        }
    }
    Ok(Form::Axes { axes: shape.len(), reduced, keep: keep && axes > 0 })
}

/// Returns whether the elements are one line that the specification takes as it is written.
fn is_line(layout: Layout, tensors: &[Tensor<'_>]) -> bool {
    let Some(first) = tensors.first() else { return true };
    // A GPU takes a line as a group.
    first.place == Place::Host
        && tensors.iter().all(|tensor| {
            let is_strided = layout == Layout::Strided && tensor.shape.len() == 1;
            tensor.shape == first.shape && (is_strided || tensor.is_row_major())
        })
}

/// Returns the shape that all arrays broadcast to, as in NumPy.
fn common_shape(tensors: &[Tensor<'_>]) -> Vec<usize> {
    let axes = tensors.iter().map(|tensor| tensor.shape.len()).max().unwrap_or(0);
    let mut shape = vec![1; axes];
    for tensor in tensors {
        let added = axes - tensor.shape.len();
        for (place, &length) in shape[added..].iter_mut().zip(&tensor.shape) {
            if *place == 1 {
                *place = length;
            }
        }
    }
    shape
}

/// Returns the bits of the axes that are reduced: all, unless some are named.
fn reduced(axis: Option<&Axis>, axes: usize) -> PyResult<u64> {
    let named: &[isize] = match axis {
        None => return Ok((1u64 << axes.min(63)) - 1),
        Some(Axis::One(axis)) => std::slice::from_ref(axis),
        Some(Axis::Several(all)) => all,
    };
    let mut reduced = 0u64;
    for &axis in named {
        let place = if axis < 0 { axis.saturating_add(axes as isize) } else { axis };
        if !(0..axes.min(63) as isize).contains(&place) {
            let message = format!("axis {axis} is out of bounds for an array of dimension {axes}");
            return Err(AxisError::new_err(message));
        }
        if reduced >> place & 1 == 1 {
            return Err(AxisError::new_err(format!("axis {axis} is named twice")));
        }
        reduced |= 1 << place;
    }
    Ok(reduced)
}
