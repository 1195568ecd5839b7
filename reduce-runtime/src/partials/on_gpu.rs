//! Partials of elements on a GPU, or of host memory that is copied to one.

use super::{PartialsError, Span};
use crate::cuda::Kernels;
use crate::device::DeviceKind;
use crate::{Device, Error, Reducer, Strided};
use reduce_codegen::{Programs, parts};
use reduce_ir::Value;
use reduce_lanes::{Lanes, LanesRef};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What a reducer on a GPU needs for partials.
#[derive(Default)]
pub(crate) struct OfParts {
    /// The kernels for parts of a whole, by the place of its program.
    kernels: Mutex<Vec<(usize, Arc<Kernels>)>>,
    /// The reducer that merges.
    host: OnceLock<Box<Reducer>>,
}

impl Reducer {
    /// Returns the reducer that merges: this one, or one for the host.
    pub(crate) fn on_host(&self) -> Result<&Reducer, Error> {
        if matches!(self.device().kind(), DeviceKind::Host) {
            return Ok(self);
        }
        if let Some(host) = self.parts.host.get() {
            return Ok(host);
        }
        let spec = self.spec.as_ref().ok_or(PartialsError::NoSpec)?;
        let host = Box::new(Reducer::new(spec, &Device::host())?);
        Ok(self.parts.host.get_or_init(|| host))
    }

    /// Returns the accumulators of a part in host memory, on the GPU of this reducer. `None`: the reducer is on the host, there is no
    /// element, or no kernel leaves the accumulators of chunks.
    pub(crate) fn partials_on_gpu(
        &self,
        inputs: &[Strided<LanesRef<'_>>],
        params: &[Value],
        span: Span,
    ) -> Result<Option<Vec<Lanes>>, Error> {
        match self.part_kernels(span.total)? {
            Some(kernels) if inputs.first().is_some_and(|input| input.len > 0) => {
                kernels.partials(inputs, &self.params_of_part(params, span)).map(Some)
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Reduces a part of the data in device memory to partials, on the stream of the first input. See [`Reducer::partials`] and
    /// [`Reducer::reduce_device`].
    ///
    /// # Errors
    /// As these two; the passes leave no accumulators of chunks on a GPU.
    #[cfg(feature = "cuda")]
    pub fn partials_device(
        &self,
        inputs: &[crate::DeviceInput<'_>],
        params: &[Value],
        span: Span,
    ) -> Result<super::Partials, Error> {
        let cutting = self.cutting(span.total)?;
        if self.axes().is_some() {
            return Err(PartialsError::Axes.into());
        }
        let length = self.check_call(inputs, params)?;
        let range = span.range(length, cutting.len(), 1)?;
        let fields = match self.part_kernels(span.total)? {
            None => return Err(PartialsError::NoKernel.into()),
            Some(_) if length == 0 => self.operation().acc.types().into_iter().map(Lanes::empty).collect(),
            Some(kernels) => kernels.partials_device(inputs, &self.params_of_part(params, span))?,
        };
        self.made(cutting.len(), fields, params.to_vec(), Vec::new(), (range, span.total))
    }

    /// Returns the params of a program of a part.
    fn params_of_part(&self, params: &[Value], span: Span) -> Vec<Value> {
        let first = self.operation().is_indexed().then_some(Value::of(span.first));
        params.iter().copied().chain(first).collect()
    }

    /// Returns the kernels for parts of `total` elements, if this reducer is on a GPU. The first call for a range of numbers makes them.
    fn part_kernels(&self, total: u64) -> Result<Option<Arc<Kernels>>, Error> {
        let DeviceKind::Cuda(gpu) = self.device().kind() else { return Ok(None) };
        let place = self.programs().place(self.within(total)?);
        let mut all = self.parts.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = all.iter().find(|(other, _)| *other == place) {
            return Ok(Some(made.clone()));
        }
        let spec = self.spec.as_ref().ok_or(PartialsError::NoSpec)?;
        let Some(program) = parts::of_part(spec, gpu.architecture().tuning(), total)? else {
            return Ok(None);
        };
        let made = Arc::new(Kernels::new(&Programs::from(program), gpu)?);
        all.push((place, made.clone()));
        Ok(Some(made))
    }
}
