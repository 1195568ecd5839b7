//! The partials of a part of the data on a GPU: the first launch of a program of a part.

use super::driver::{self, failed};
use super::groups::fields;
use super::input::DeviceInput;
use super::kernels::{Kernels, first_element, spanned_bytes};
use super::variants::launches;
use crate::{Error, Strided};
use cudarc::driver::sys::{CUdeviceptr, cuMemcpyDtoHAsync_v2};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use reduce_ir::Value;
use reduce_lanes::{Lanes, LanesRef};
use std::sync::{Arc, PoisonError};

/// Memory of the null stream for a copy of host memory.
#[derive(Debug)]
pub(super) struct Copied {
    _current: driver::Current,
    memory: CudaSlice<u8>,
}

impl Kernels {
    /// Returns the accumulators of the chunks of a copy of host memory, of at least one element.
    pub(crate) fn partials(
        &self,
        inputs: &[Strided<LanesRef<'_>>],
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        let stream = self.stream();
        let copies = inputs.iter().map(|input| self.copied(&stream, spanned_bytes(input)));
        let copies = copies.collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = copies.iter().map(|copy| copy.memory.device_ptr(&stream)).collect();
        let first = pointers.iter().zip(inputs).map(|((pointer, _), input)| first_element(*pointer, input));
        let partials = self.launch_part(&stream, inputs[0].len as u64, first, params)?;
        drop(pointers);
        self.copies.lock().unwrap_or_else(PoisonError::into_inner).extend(copies);
        Ok(partials)
    }

    /// Copies bytes to the memory of a copy before, if there is one that is large enough, but not much larger.
    fn copied(&self, stream: &Arc<CudaStream>, bytes: &[u8]) -> Result<Copied, Error> {
        let mut spare = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |copy: &Copied| (bytes.len()..=2 * bytes.len()).contains(&copy.memory.len());
        let found = spare.iter().position(fits).map(|at| spare.swap_remove(at));
        if found.is_none() {
            spare.clear();
        }
        drop(spare);
        let mut copy = match found {
            Some(copy) => copy,
            None => Copied {
                _current: driver::Current(stream.context().clone()),
                memory: self.gpu().allocate(stream, bytes.len() as u64)?,
            },
        };
        let copied = stream.memcpy_htod(bytes, &mut copy.memory.slice_mut(..bytes.len()));
        copied.map_err(failed("copying a piece to the device"))?;
        Ok(copy)
    }

    /// Returns the accumulators of the chunks of device memory, of at least one element.
    pub(crate) fn partials_device(
        &self,
        inputs: &[DeviceInput<'_>],
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        self.after_inputs(inputs, |stream| {
            self.launch_part(stream, inputs[0].len() as u64, inputs.iter().map(DeviceInput::pointer), params)
        })
    }

    /// Launches the kernel over the inputs, waits, and reads the accumulators that it leaves.
    fn launch_part(
        &self,
        stream: &Arc<CudaStream>,
        n: u64,
        inputs: impl Iterator<Item = (CUdeviceptr, isize)>,
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        let variant = self.variants.variant(0)?;
        let launch = launches(&variant.plan, n)?.swap_remove(0);
        let mut workspace = self.take_workspace(stream, n)?;
        workspace.prepare(n, inputs, params)?;
        stream.context().bind_to_thread().map_err(failed("binding its context"))?;
        // A launch of one block finishes its accumulator, which is the result of a program of a part.
        let (from, count) = match launch.is_last {
            true => (workspace.result_ptr(), 1),
            false => (workspace.levels(variant) + variant.plan.offset(n, launch.to), launch.partials),
        };
        let acc = &self.variants.operation.acc;
        let mut bytes = vec![0u8; count as usize * acc.size()];
        let launched = workspace.launch(0).and_then(|()| {
            // SAFETY: the kernel leaves that many accumulators there, and the stream is waited for before the bytes are used, or dropped.
            let copied = unsafe {
                cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), from, bytes.len(), stream.cu_stream())
            };
            copied.result().map_err(failed("reading the partials"))
        });
        if let Err(error) = driver::wait(stream) {
            // Kernels may still write to the workspace, and the copy to the bytes.
            std::mem::forget((workspace, bytes));
            return launched.and(Err(failed("running the kernels")(error)));
        }
        launched?;
        let partials = fields(acc, &bytes);
        self.give_back(workspace);
        Ok(partials)
    }
}
