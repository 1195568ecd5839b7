//! A reduction with values for its params.

use crate::{Compiled, Error, Output, Params, Reduction, Slices};
#[cfg(feature = "cuda")]
use crate::{DeviceInputs, Workspace};
#[cfg(feature = "cuda")]
use cudarc::driver::CudaStream;
use reduce_ir::Value;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// A [`Reduction`] or a [`Compiled`] one with values for its params, as `with` returns it.
#[derive(Clone, Debug)]
pub struct With<'a, R> {
    pub(crate) reduction: &'a R,
    pub(crate) params: Vec<Value>,
}

impl<'a, R> With<'a, R> {
    pub(super) fn new(reduction: &'a R, params: &impl Params) -> With<'a, R> {
        With { reduction, params: params.values() }
    }
}

impl<In, Out: Output, P: Params> With<'_, Reduction<In, Out, P>> {
    /// As [`Reduction::reduce`].
    ///
    /// # Errors
    /// See [`Reducer::reduce`](crate::Reducer::reduce).
    pub fn reduce<S: Slices<In>>(&self, slices: S) -> Result<Out, Error> {
        self.reduction.host()?.run(slices, &self.params)
    }
}

impl<In, Out: Output, P: Params> With<'_, Compiled<In, Out, P>> {
    /// As [`Compiled::reduce`].
    ///
    /// # Errors
    /// See [`Reducer::reduce`](crate::Reducer::reduce).
    pub fn reduce<S: Slices<In>>(&self, slices: S) -> Result<Out, Error> {
        self.reduction.run(slices, &self.params)
    }

    /// As [`Compiled::reduce_device`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_device`](crate::Reducer::reduce_device).
    #[cfg(feature = "cuda")]
    pub fn reduce_device<'a, S: crate::DeviceSlices<'a, In>>(&self, slices: S) -> Result<Out, Error> {
        let compiled = self.reduction;
        let outcome = compiled.reducer.reduce_device_with(&slices.inputs(None), &self.params)?;
        compiled.output(&outcome.values)
    }

    /// As [`Compiled::enqueue`].
    ///
    /// # Errors
    /// See [`Reducer::enqueue`](crate::Reducer::enqueue).
    #[cfg(feature = "cuda")]
    pub fn enqueue(
        &self,
        stream: &Arc<CudaStream>,
        inputs: &DeviceInputs<'_, In>,
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        self.reduction.reducer().enqueue(stream, inputs.as_slice(), &self.params, workspace)
    }
    /// As [`Compiled::enqueue_captured`].
    ///
    /// # Safety
    /// See [`Reducer::enqueue_captured`](crate::Reducer::enqueue_captured).
    ///
    /// # Errors
    /// See [`Reducer::enqueue_captured`](crate::Reducer::enqueue_captured).
    #[cfg(feature = "cuda")]
    pub unsafe fn enqueue_captured(
        &self,
        stream: &Arc<CudaStream>,
        inputs: &DeviceInputs<'_, In>,
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let reducer = self.reduction.reducer();
        // SAFETY: the caller promises it.
        unsafe { reducer.enqueue_captured(stream, inputs.as_slice(), &self.params, workspace) }
    }
}
