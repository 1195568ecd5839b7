//! Runs a reduction on a GPU: queued in a workspace of the caller, or synchronously.

use super::driver::{self, failed};
use super::gpu::Gpu;
use super::input::DeviceInput;
use super::partials::Copied;
use super::sizes;
use super::variants::Variants;
use super::workspace::Workspace;
use crate::reducer::Outcome;
use crate::{Architecture, Error, Strided};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use reduce_codegen::Programs;
use reduce_ir::Value;
use reduce_ir::program::Program;
use reduce_lanes::LanesRef;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The kernels of a reduction on a GPU. Every call has its own memory, so threads may share them.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub(super) variants: Arc<Variants>,
    /// Workspaces of finished synchronous calls, for reuse.
    spare: Mutex<Vec<Workspace>>,
    /// Memory for copies of the pieces of a stream, for reuse: the driver takes long to map such memory again for each piece.
    pub(super) copies: Mutex<Vec<Copied>>,
}

impl Kernels {
    /// Makes the kernels of some programs. A single program is compiled at once; several are compiled on first use.
    pub(crate) fn new(programs: &Programs, gpu: &Gpu) -> Result<Kernels, Error> {
        check_architecture(programs, gpu)?;
        let variants = Variants::new(programs, gpu);
        if let [_] = programs.variants() {
            variants.variant(0)?;
        }
        Ok(Kernels { variants: Arc::new(variants), spare: Mutex::default(), copies: Mutex::default() })
    }

    /// Compiles the kernels for n elements.
    pub(crate) fn prepare(&self, n: u64) -> Result<(), Error> {
        self.variants.variant(self.variants.index_of_n(n)).map(|_| ())
    }

    /// Compiles all kernels, in parallel.
    pub(crate) fn prepare_all(&self) -> Result<(), Error> {
        self.variants.prepare_all()
    }

    /// Makes a workspace for calls on up to n elements, and compiles the kernels for n.
    pub(crate) fn workspace(&self, stream: &Arc<CudaStream>, n: u64) -> Result<Workspace, Error> {
        self.prepare(n)?;
        Workspace::new(&self.variants, stream, n.into())
    }

    /// Returns the bytes of such a workspace.
    pub(crate) fn workspace_bytes(&self, n: u64) -> u64 {
        sizes::bytes(&self.variants, n.into())
    }

    /// As [`Kernels::workspace`], in memory of the caller.
    pub(crate) fn workspace_in(&self, memory: CudaSlice<u8>, n: u64) -> Result<Workspace, Error> {
        self.prepare(n)?;
        driver::refuse_capture(memory.stream())?;
        Workspace::within(&self.variants, memory, n.into())
    }

    /// Checks that these kernels made the workspace.
    pub(crate) fn check_workspace(&self, workspace: &Workspace) -> Result<(), Error> {
        workspace.check_variants(&self.variants)
    }

    /// Queues a reduction of n elements, outside of a capture.
    pub(crate) fn enqueue(
        &self,
        stream: &CudaStream,
        n: u64,
        inputs: &[DeviceInput<'_>],
        params: &[Value],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        self.check_call(stream, n, inputs, workspace)?;
        driver::refuse_capture(stream)?;
        workspace.wait_for_readers();
        let launched = self.launch(stream, n, inputs, params, workspace);
        // Also after a failed launch: earlier launches are queued.
        inputs.iter().map(|input| input.read_on(stream)).fold(launched, Result::and)
    }

    /// Queues a reduction that a graph captures.
    ///
    /// # Safety
    /// See [`Reducer::enqueue_captured`](crate::Reducer::enqueue_captured).
    pub(crate) unsafe fn enqueue_captured(
        &self,
        stream: &CudaStream,
        n: u64,
        inputs: &[DeviceInput<'_>],
        params: &[Value],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        self.check_call(stream, n, inputs, workspace)?;
        self.launch(stream, n, inputs, params, workspace)
    }

    /// Checks that the stream, the inputs and the workspace belong together, with room for n elements.
    fn check_call(
        &self,
        stream: &CudaStream,
        n: u64,
        inputs: &[DeviceInput<'_>],
        workspace: &Workspace,
    ) -> Result<(), Error> {
        workspace.check(&self.variants, stream, n)?;
        for (input, index) in inputs.iter().zip(0..) {
            self.check(input, index)?;
            if **input.stream() != *stream {
                return Err(Error::InputOfOtherStream { input: index });
            }
        }
        Ok(())
    }

    /// Queues the launches.
    fn launch(
        &self,
        stream: &CudaStream,
        n: u64,
        inputs: &[DeviceInput<'_>],
        params: &[Value],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        workspace.forget_result();
        stream.context().bind_to_thread().map_err(failed("binding its context"))?;
        if n == 0 {
            return workspace.enqueue_empty_result(params);
        }
        workspace.prepare(n, inputs.iter().map(DeviceInput::pointer), params)?;
        workspace.launch_all()
    }

    /// Reduces a copy of host memory, of at least one element.
    pub(crate) fn reduce(
        &self,
        inputs: &[Strided<LanesRef<'_>>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let stream = self.stream();
        let copies = inputs.iter().map(|input| self.copy(&stream, spanned_bytes(input)));
        let copies = copies.collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = copies.iter().map(|copy| copy.device_ptr(&stream)).collect();
        let first_elements =
            pointers.iter().zip(inputs).map(|((pointer, _), input)| first_element(*pointer, input));
        // Keeps the copies out of the measured time.
        stream.synchronize().map_err(failed("waiting for the inputs"))?;
        self.run(&stream, inputs[0].len as u64, first_elements, params)
    }

    /// Reduces device memory, of at least one element.
    pub(crate) fn reduce_device(
        &self,
        inputs: &[DeviceInput<'_>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        self.after_inputs(inputs, |stream| {
            self.run(stream, inputs[0].len() as u64, inputs.iter().map(DeviceInput::pointer), params)
        })
    }

    /// Makes a call on the stream of the first input, after the work queued on the streams of the others.
    pub(super) fn after_inputs<T>(
        &self,
        inputs: &[DeviceInput<'_>],
        call: impl FnOnce(&Arc<CudaStream>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let stream = inputs[0].stream();
        driver::refuse_capture(stream)?;
        for (input, index) in inputs.iter().zip(0..) {
            self.check(input, index)?;
            if input.stream() != stream {
                stream.join(input.stream()).map_err(failed("waiting for an input"))?;
            }
        }
        call(stream).inspect_err(|_| {
            // Queued kernels may still run, so their reads are recorded. The first error is returned.
            inputs.iter().for_each(|input| drop(input.read_on(stream)));
        })
    }

    /// Checks that the input lies in the context of the kernels.
    pub(super) fn check(&self, input: &DeviceInput<'_>, index: usize) -> Result<(), Error> {
        match input.is_in(self.variants.gpu.context()) {
            true => Ok(()),
            false => Err(Error::OtherContext { input: index, device: self.variants.gpu.name() }),
        }
    }

    /// Launches the plan, waits, and reads the result.
    fn run(
        &self,
        stream: &Arc<CudaStream>,
        n: u64,
        inputs: impl Iterator<Item = (CUdeviceptr, isize)>,
        params: &[Value],
    ) -> Result<Outcome, Error> {
        self.prepare(n)?;
        let mut workspace = self.take_workspace(stream, n)?;
        workspace.prepare(n, inputs, params)?;
        stream.context().bind_to_thread().map_err(failed("binding its context"))?;
        let mut bytes = vec![0; self.variants.operation.stored().size()];
        let start = Instant::now();
        // SAFETY: the stream is waited for before the bytes are used, or dropped.
        let launched =
            workspace.launch_all().and_then(|()| unsafe { workspace.copy_result(stream, &mut bytes) });
        // Also after a failed launch, so that nothing is running when the memory is given back.
        let finished = driver::wait(stream);
        let kernel = start.elapsed();
        if let Err(error) = finished {
            // Kernels may still write to the workspace, and the copy to the bytes.
            std::mem::forget((workspace, bytes));
            return launched.and(Err(failed("running the kernels")(error)));
        }
        launched?;
        let values = workspace.result_of(&bytes);
        self.give_back(workspace);
        Ok(Outcome { values: values?, kernel })
    }

    /// Returns a workspace for at least n elements that no other call uses.
    pub(super) fn take_workspace(&self, stream: &Arc<CudaStream>, n: u64) -> Result<Workspace, Error> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let index = spare.iter().position(|workspace| workspace.most() >= n);
        let kept = index.map(|index| spare.swap_remove(index));
        drop(spare);
        let mut workspace = match kept {
            Some(workspace) => workspace,
            None => {
                let null = self.stream();
                let workspace = Workspace::new(&self.variants, &null, n.into())?;
                // The workspace is used on the streams of inputs, but its memory is allocated in the order of the null
                // stream.
                null.synchronize().map_err(failed("allocating memory"))?;
                workspace
            }
        };
        workspace.move_to(stream);
        Ok(workspace)
    }

    /// Keeps a workspace for the next calls, and frees smaller ones. Otherwise calls on growing numbers of elements
    /// would leave one each.
    pub(super) fn give_back(&self, workspace: Workspace) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.retain(|other| other.most() >= workspace.most());
        spare.push(workspace);
    }

    pub(super) fn copy(&self, stream: &Arc<CudaStream>, bytes: &[u8]) -> Result<CudaSlice<u8>, Error> {
        let mut copy = self.gpu().allocate(stream, bytes.len() as u64)?;
        stream.memcpy_htod(bytes, &mut copy).map_err(failed("copying an input to the device"))?;
        Ok(copy)
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.variants.gpu
    }

    /// Returns the null stream, on which the memory of synchronous calls is allocated.
    pub(super) fn stream(&self) -> Arc<CudaStream> {
        self.gpu().context().default_stream()
    }
}

/// Checks that the GPU has all instructions that the programs use.
fn check_architecture(programs: &Programs, gpu: &Gpu) -> Result<(), Error> {
    let oldest = programs.variants().iter().map(Program::capability).max();
    let needed = Architecture::from_number(oldest.unwrap_or(0));
    let found = gpu.architecture();
    if found < needed {
        return Err(Error::ArchitectureTooOld { needed, device: gpu.name(), found });
    }
    Ok(())
}

/// Returns the address of the first element of an input in a copy of its [`spanned_bytes`], and the distance to the next.
pub(super) fn first_element(copy: CUdeviceptr, input: &Strided<LanesRef<'_>>) -> (CUdeviceptr, isize) {
    let lead = input.lead() * input.data.ty().size();
    (copy + lead as u64, input.step)
}

/// Returns the bytes of an input, from the lowest position of an element to the highest.
pub(super) fn spanned_bytes<'a>(input: &Strided<LanesRef<'a>>) -> &'a [u8] {
    bytes(input.data.slice(input.places(0..input.len)))
}

/// Returns the bytes of lanes as they lie in memory.
pub(super) fn bytes(input: LanesRef<'_>) -> &[u8] {
    match input {
        LanesRef::Bool(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::F16(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::Bf16(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::F32(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::F64(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::I8(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::I16(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::I32(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::U8(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::U16(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::U32(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::I64(lanes) => bytemuck::cast_slice(lanes),
        LanesRef::U64(lanes) => bytemuck::cast_slice(lanes),
    }
}
