//! Reduces runs of equal neighbouring keys on a GPU. Kernels find the runs, which are segments then.

use super::calls::{Lie, addresses};
use super::{DeviceSegments, SegmentKernels, Sizes};
use crate::cuda::driver::{self, failed};
use crate::cuda::faults;
use crate::cuda::gpu::Gpu;
use crate::cuda::input::DeviceInput;
use crate::cuda::launch::{Shape, launch};
use crate::cuda::modules;
use crate::cuda::sizes::ALIGNMENT;
use crate::{Error, Groups, Reducer, RunGroups, SegmentsError, View, inputs};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut};
use reduce_codegen::runs::Heads;
use reduce_codegen::segments::Segmented;
use reduce_ir::axes::Cut;
use reduce_ir::func::Param;
use reduce_ir::operation::{Operation, Record};
use reduce_ir::{Domain, Scalar, Value};
use std::sync::Arc;

/// The results of runs, in device memory: see [`Reducer::reduce_runs_device`](crate::Reducer::reduce_runs_device).
#[derive(Debug)]
pub struct DeviceRuns {
    segments: DeviceSegments,
    key: Scalar,
    memory: CudaSlice<u8>,
    base: CUdeviceptr,
    layout: Layout,
}

/// Where each part of the memory begins, in bytes. The numbers of runs before each tile come first, then their number.
#[derive(Clone, Copy, Debug)]
struct Layout {
    number: u64,
    marks: u64,
    offsets: u64,
    keys: u64,
    bytes: u64,
}

impl Layout {
    fn of(n: u64, offsets: Scalar, key: Scalar) -> Layout {
        let aligned = |bytes: u64| bytes.next_multiple_of(ALIGNMENT);
        let tiles = Heads::tiles(n);
        let marks = aligned(8 * (tiles + 1));
        let at_offsets = marks + aligned(tiles * u64::from(Heads::TILE) / 8);
        let keys = at_offsets + aligned((n + 1) * offsets.size() as u64);
        let bytes = keys + aligned(n * key.size() as u64).max(ALIGNMENT);
        Layout { number: 8 * tiles, marks, offsets: at_offsets, keys, bytes }
    }
}

impl SegmentKernels {
    /// Compiles and loads the kernels of a program, and those that find runs of keys.
    pub(super) fn load_with_runs(
        program: Segmented,
        key: Scalar,
        gpu: &Gpu,
    ) -> Result<SegmentKernels, Error> {
        let heads = Heads::of(key, program.offsets)?;
        let module = modules::of_heads(&heads, gpu)?;
        let function = |name: &str| module.load_function(name).map_err(failed("looking up a kernel"));
        let heads = Heads::KERNELS.into_iter().map(function).collect::<Result<_, _>>()?;
        let mut kernels = SegmentKernels::load(program.counted(), gpu)?;
        kernels.heads = heads;
        Ok(kernels)
    }
}

impl DeviceRuns {
    /// Returns the stream that the calls are queued on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.segments.stream()
    }

    /// Returns the device address of the results, one for each run: the fields of the operation's output, laid out as in C. The address never
    /// changes. Readers must be ordered after the call by its stream, or by an event.
    #[must_use]
    pub fn result_ptr(&self) -> CUdeviceptr {
        self.segments.result_ptr()
    }

    /// Returns the device address of the keys, one for each run.
    #[must_use]
    pub fn keys_ptr(&self) -> CUdeviceptr {
        self.base + self.layout.keys
    }

    /// Returns the device address of the number of runs, a `u64`.
    #[must_use]
    pub fn number_ptr(&self) -> CUdeviceptr {
        self.base + self.layout.number
    }

    pub(in crate::cuda) fn operation(&self) -> &Operation {
        self.segments.operation()
    }

    /// Waits for the results and reads them, with the keys.
    ///
    /// # Errors
    /// A run is too long for the operator on a GPU; a graph is capturing the stream; the driver reports an error.
    pub fn read(&mut self) -> Result<RunGroups, Error> {
        let stream = self.stream().clone();
        let n = self.segments.sizes.elements;
        let number = match n {
            0 => 0,
            _ => faults::read_bytes(&stream, &self.memory, self.layout.number, 8)?
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        let record = Record::scalar(self.key);
        let bytes =
            faults::read_bytes(&stream, &self.memory, self.layout.keys, number as usize * record.size())?;
        let keys = crate::cuda::groups::fields(&record, &bytes).swap_remove(0);
        let operation = self.segments.kernels.program.operation.clone();
        let results = (self.segments.layout.results, number as usize);
        let read = faults::read(&stream, &mut self.segments.memory, &operation.stored(), results)?;
        let stored = read.map_err(|segment| SegmentsError::Wrong { segment })?;
        Ok(RunGroups { keys, groups: Groups::new(&operation, vec![number], stored)? })
    }

    /// Queues the launches. `inputs` holds the address of the first element of each input; `keys` is the address of the first key.
    fn launch(&mut self, inputs: &[CUdeviceptr], keys: CUdeviceptr, params: &[Value]) -> Result<(), Error> {
        let n = self.segments.sizes.elements;
        if n == 0 {
            return Ok(());
        }
        let Layout { number, marks, offsets, keys: at_keys, .. } = self.layout;
        let [tiles, number, marks, offsets, at_keys] =
            [0, number, marks, offsets, at_keys].map(|at| self.base + at);
        let arguments =
            [&[keys, tiles, marks, n][..], &[offsets, tiles, n], &[keys, offsets, tiles, marks, at_keys, n]];
        let stream = self.segments.stream.clone();
        stream.context().bind_to_thread().map_err(failed("binding its context"))?;
        let shapes = Heads::grids(n).into_iter().zip(Heads::BLOCKS);
        for ((function, (grid, block)), arguments) in
            self.segments.kernels.heads.iter().zip(shapes).zip(arguments)
        {
            let shape = Shape { grid: grid as u32, block, shared: 0, dependent: false };
            // SAFETY: the arguments are those of the kernel. The memory they point to is allocated, and freed in the order of the
            // stream; whoever gives the keys keeps them as long.
            unsafe { launch(&stream, function, shape, arguments) }.map_err(failed("launching a kernel"))?;
        }
        self.segments.launch(inputs, offsets, u64::MAX, Some(number), params)
    }
}

impl Reducer {
    /// Queues a reduction of runs of equal neighbouring keys of device data, on the stream of the keys, and returns at once. Results, keys and
    /// the number of runs stay on the device. Inputs are views of [`DeviceInput`]s of one axis, whose elements lie side by side; inputs and
    /// keys are read on one stream.
    ///
    /// There is room for as many runs as elements.
    ///
    /// # Errors
    /// As [`Reducer::reduce_runs`]; inputs are read on different streams, or do not lie in the context of the device.
    pub fn reduce_runs_device(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        keys: &DeviceInput<'_>,
        params: &[Value],
    ) -> Result<DeviceRuns, Error> {
        let (kernels, sizes) = self.device_runs(inputs, keys, params)?;
        let layout = Layout::of(sizes.elements, kernels.program.offsets, keys.ty());
        let mut memory = kernels.gpu.allocate(keys.stream(), layout.bytes)?;
        let base = memory.device_ptr_mut(keys.stream()).0;
        let segments = kernels.memory(keys.stream(), sizes, vec![sizes.segments])?;
        let mut runs = DeviceRuns { segments, key: keys.ty(), memory, base, layout };
        enqueue(inputs, keys, params, &mut runs)?;
        Ok(runs)
    }

    /// As [`Reducer::reduce_runs_device`], into the memory of an earlier call on the same stream, with as many elements. A call neither
    /// allocates nor waits.
    ///
    /// # Errors
    /// As [`Reducer::reduce_runs_device`], or the memory does not fit.
    pub fn reduce_runs_into(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        keys: &DeviceInput<'_>,
        params: &[Value],
        into: &mut DeviceRuns,
    ) -> Result<(), Error> {
        self.check_runs_into(inputs, keys, params, into)?;
        driver::refuse_capture(keys.stream())?;
        enqueue(inputs, keys, params, into)
    }

    /// As [`Reducer::reduce_runs_into`], on a stream that a CUDA graph captures. The call runs at each replay of the graph, on the elements
    /// and keys that are in their memory at that time.
    ///
    /// Make inputs and keys before the capture begins, and `into` by a call on as many elements.
    ///
    /// # Safety
    /// As [`Reducer::enqueue_captured`], with the keys as an input and `into` as the workspace.
    ///
    /// # Errors
    /// As [`Reducer::reduce_runs_into`], except that a captured stream is allowed.
    pub unsafe fn reduce_runs_captured(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        keys: &DeviceInput<'_>,
        params: &[Value],
        into: &mut DeviceRuns,
    ) -> Result<(), Error> {
        self.check_runs_into(inputs, keys, params, into)?;
        into.launch(&addresses(inputs), keys.pointer().0, params)
    }

    /// Checks a call on device memory, and that the results fit into the memory of an earlier call.
    fn check_runs_into(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        keys: &DeviceInput<'_>,
        params: &[Value],
        into: &DeviceRuns,
    ) -> Result<(), Error> {
        let (kernels, sizes) = self.device_runs(inputs, keys, params)?;
        let fits = Arc::ptr_eq(&kernels, &into.segments.kernels) && sizes == into.segments.sizes;
        if !fits || **keys.stream() != *into.segments.stream {
            return Err(Error::OtherWorkspace);
        }
        Ok(())
    }

    /// Checks a call on device memory, and returns its kernels and its sizes: at most as many runs as elements.
    fn device_runs(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        keys: &DeviceInput<'_>,
        params: &[Value],
    ) -> Result<(Arc<SegmentKernels>, Sizes), Error> {
        inputs::check_params(self.operation(), params)?;
        let Some(Cut::Runs(expected)) = self.axes().map(|axes| axes.cut) else {
            return Err(SegmentsError::NoKeys.into());
        };
        if keys.ty() != expected {
            return Err(SegmentsError::KeyType { expected, found: keys.ty() }.into());
        }
        for (param, input) in self.operation().inputs.iter().zip(inputs) {
            inputs::check_input(Domain::WHOLE, param, &input.data.shape())?;
        }
        inputs::check_input(Domain::WHOLE, &Param::new("keys", expected), &keys.shape())?;
        let nest =
            self.nest_of(inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len()))))?;
        if Lie::of(&nest)?.domain() != Domain::ROWS {
            return Err(SegmentsError::OnDevice.into());
        }
        let (elements, found) = (nest.reduced[0].length, keys.len() as u64);
        if elements != found {
            return Err(SegmentsError::KeyCount { elements, found }.into());
        }
        let offsets = if elements <= Segmented::MOST_OF_U32 { Scalar::U32 } else { Scalar::U64 };
        let kernels = self.segment_kernels(offsets, Domain::ROWS, elements, Some(expected))?;
        for (at, input) in inputs.iter().map(|view| view.data).chain([keys]).enumerate() {
            if !input.is_in(kernels.gpu.context()) {
                return Err(Error::OtherContext { input: at, device: kernels.gpu.name() });
            }
            if **input.stream() != **keys.stream() {
                return Err(Error::InputOfOtherStream { input: at });
            }
        }
        Ok((kernels, Sizes { elements, segments: elements, columns: 1 }))
    }
}

/// Queues the launches, and reports the reads to cudarc.
fn enqueue(
    inputs: &[View<&DeviceInput<'_>>],
    keys: &DeviceInput<'_>,
    params: &[Value],
    into: &mut DeviceRuns,
) -> Result<(), Error> {
    let launched = into.launch(&addresses(inputs), keys.pointer().0, params);
    let stream = into.stream().clone();
    // Also after a failed launch: earlier launches are queued.
    let all = inputs.iter().map(|input| input.data).chain([keys]);
    all.map(|input| input.read_on(&stream)).fold(launched, Result::and)
}
