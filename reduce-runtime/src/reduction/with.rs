//! A reduction with values for its params.

use crate::default_device::{chosen, worthwhile_gpu};
use crate::event::event;
use crate::{Compiled, Device, Error, Output, Params, Reduction, Returned, Slices};
#[cfg(feature = "cuda")]
use crate::{DeviceInputs, Workspace};
#[cfg(feature = "cuda")]
use cudarc::driver::CudaStream;
use reduce_ir::Value;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// A [`Reduction`] or a [`Compiled`] one with values for its params, as `with` returns it.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is called"]
pub struct With<'a, R> {
    pub(crate) reduction: &'a R,
    pub(crate) params: Vec<Value>,
    /// The device of a [`Reduction`]; `None` is the default one.
    pub(super) device: Option<Device>,
}

impl<'a, R> With<'a, R> {
    pub(super) fn new(reduction: &'a R, params: &impl Params) -> With<'a, R> {
        With { reduction, params: params.values(), device: None }
    }
}

impl<In, Out: Returned, P: Params> With<'_, Reduction<In, Out, P>> {
    /// Returns the same for calls on a device.
    pub fn with_device(self, device: &Device) -> Self {
        With { device: Some(device.clone()), ..self }
    }

    /// Runs a call on its device, given the number of elements and their bytes. A GPU that nobody named may fail, for example for want of
    /// memory; then the host runs the call.
    pub(super) fn run_on_device<T>(
        &self,
        [elements, bytes]: [usize; 2],
        run: impl Fn(&Compiled<In, Out, P>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(device) = self.device.clone().map_or_else(chosen, |device| Ok(Some(device)))? {
            return run(&self.reduction.compiled(&device)?);
        }
        let host = self.reduction.compiled(&Device::host())?;
        let operation = host.reducer().operation();
        let gpu = worthwhile_gpu(operation, elements, bytes);
        let device = || gpu.as_ref().map_or("host".to_owned(), Device::name);
        event!(
            "a call chose its device",
            device = device(),
            operator = operation.name,
            elements = elements,
            bytes = bytes
        );
        match gpu.map(|gpu| run(&self.reduction.compiled(&gpu)?)) {
            Some(Ok(result)) => Ok(result),
            Some(Err(error)) => {
                event!("the host runs a call that failed on the GPU", error = error);
                run(&host)
            }
            None => run(&host),
        }
    }
}

impl<In, Out: Output, P: Params> With<'_, Reduction<In, Out, P>> {
    /// As [`Reduction::reduce`].
    ///
    /// # Errors
    /// See [`Reducer::reduce`](crate::Reducer::reduce).
    pub fn reduce<S: Slices<In>>(&self, slices: S) -> Result<Out, Error> {
        let views = slices.views();
        let bytes = views.iter().map(|view| view.len.saturating_mul(view.data.ty().size()));
        let bytes = bytes.fold(0, usize::saturating_add);
        let elements = views.first().map_or(0, |view| view.len);
        self.run_on_device([elements, bytes], |compiled| compiled.run(&views, &self.params))
    }
}

impl<In, Out: Output, P: Params> With<'_, Compiled<In, Out, P>> {
    /// As [`Compiled::reduce`].
    ///
    /// # Errors
    /// See [`Reducer::reduce`](crate::Reducer::reduce).
    pub fn reduce<S: Slices<In>>(&self, slices: S) -> Result<Out, Error> {
        self.reduction.run(&slices.views(), &self.params)
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
