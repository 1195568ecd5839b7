//! Reduces elements with keys on a GPU.

use super::driver::{self, failed};
use super::faults::{self, NO_FAULT};
use super::gpu::Gpu;
use super::input::DeviceInput;
use super::kernels::bytes;
use super::launch::{Shape, fill, launch};
use super::modules;
use super::segments::addresses;
use super::sizes::ALIGNMENT;
use crate::keys::{KeyBackend, check_line};
use crate::{Error, Groups, Reducer, SegmentsError, Strided, View, inputs};
use cudarc::driver::sys::{CUdeviceptr, CUfunction_attribute};
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut};
use reduce_codegen::keys::Keyed;
use reduce_ir::axes::Others;
use reduce_ir::operation::Operation;
use reduce_ir::program::Reads;
use reduce_ir::{Domain, Value};
use reduce_lanes::{Lanes, LanesRef, Places, collect};
use std::sync::Arc;

/// The loaded kernels of a program over elements with keys.
#[derive(Debug)]
pub(crate) struct KeyKernels {
    gpu: Gpu,
    program: Keyed,
    functions: Vec<CudaFunction>,
}

/// The results of numbered groups, in device memory: see [`Reducer::reduce_keys_device`](crate::Reducer::reduce_keys_device).
#[derive(Debug)]
pub struct DeviceKeys {
    /// Declared before the memory, because fields are dropped in declaration order.
    _current: driver::Current,
    kernels: Arc<KeyKernels>,
    stream: Arc<CudaStream>,
    memory: CudaSlice<u8>,
    base: CUdeviceptr,
    elements: u64,
}

/// Where the results begin, in bytes. The fault word comes first.
const RESULTS: u64 = ALIGNMENT;

impl KeyKernels {
    /// Compiles and loads the kernels of a program.
    pub(crate) fn load(program: Keyed, gpu: &Gpu) -> Result<KeyKernels, Error> {
        let module = modules::of_keys(&program, gpu)?;
        let function = |name: &str| module.load_function(name).map_err(failed("looking up a kernel"));
        let functions = program.kernels().into_iter().map(function).collect::<Result<Vec<_>, _>>()?;
        let shared = program.asked_shared_bytes();
        if shared > 0 {
            let most = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            functions[0].set_attribute(most, shared as i32).map_err(failed("asking for shared memory"))?;
        }
        Ok(KeyKernels { gpu: gpu.clone(), program, functions })
    }

    /// Where the partials begin, in bytes.
    fn partials(&self) -> u64 {
        let stored = self.program.operation.stored().size() as u64;
        RESULTS + (self.program.keys.groups * stored).next_multiple_of(ALIGNMENT)
    }

    /// Allocates the memory of calls on a stream.
    fn memory(self: &Arc<Self>, stream: &Arc<CudaStream>, elements: u64) -> Result<DeviceKeys, Error> {
        let acc = self.program.operation.acc.size() as u64;
        let partials = self.program.number_of_partials(elements).saturating_mul(acc);
        let mut memory = self.gpu.allocate(stream, self.partials().saturating_add(partials))?;
        let base = memory.device_ptr_mut(stream).0;
        // SAFETY: the memory has at least 8 bytes there, and lives until the stream has reached its end.
        unsafe { fill(stream, base, &NO_FAULT) }.map_err(failed("setting the fault"))?;
        let _current = driver::Current(stream.context().clone());
        Ok(DeviceKeys { _current, kernels: self.clone(), stream: stream.clone(), memory, base, elements })
    }

    /// Reduces copies of elements in host memory. Returns one vector for each field of the stored output.
    pub(crate) fn reduce(
        self: &Arc<Self>,
        inputs: &[Strided<LanesRef<'_>>],
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        let stream = self.gpu.context().default_stream();
        let copies = inputs.iter().map(|input| self.copied(&stream, input)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = copies.iter().map(|copy| copy.device_ptr(&stream)).collect();
        let addresses: Vec<_> = pointers.iter().map(|(pointer, _)| *pointer).collect();
        let mut results = self.memory(&stream, inputs.first().map_or(0, |input| input.len as u64))?;
        let launched = results.launch(&addresses, params);
        // Kernels that were queued may still read the copies.
        driver::wait(&stream).map_err(failed("running the kernels"))?;
        launched?;
        results.read_stored()
    }

    /// Copies elements to the device, side by side.
    fn copied(
        &self,
        stream: &Arc<CudaStream>,
        input: &Strided<LanesRef<'_>>,
    ) -> Result<CudaSlice<u8>, Error> {
        let mut gathered = Lanes::empty(input.data.ty());
        let elements = match (input.step, input.len) {
            (1, _) | (_, 0) => input.data.slice(input.offset..input.offset + input.len),
            (step, len) => {
                let outer = Places::Even { first: 0, step: 0, len: 1 };
                collect(
                    input.data,
                    input.offset,
                    [&outer, &Places::Even { first: 0, step, len }],
                    &mut gathered,
                );
                gathered.borrow()
            }
        };
        let bytes = bytes(elements);
        let mut copy = self.gpu.allocate(stream, bytes.len() as u64)?;
        stream.memcpy_htod(bytes, &mut copy).map_err(failed("copying an input to the device"))?;
        Ok(copy)
    }
}

/// Waits until no kernel runs before the kernels are unloaded: the caller may not have waited.
impl Drop for KeyKernels {
    fn drop(&mut self) {
        let context = self.gpu.context();
        context.record_err(driver::wait_for_all(context));
    }
}

impl DeviceKeys {
    /// Returns the number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kernels.program.keys.groups as usize
    }

    /// Returns whether there are no groups: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the stream that the calls are queued on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Returns the device address of the results, one for each group: the fields of the operation's stored output, laid out as in C. The
    /// address never changes. Readers must be ordered after the call by its stream, or by an event.
    #[must_use]
    pub fn result_ptr(&self) -> CUdeviceptr {
        self.base + RESULTS
    }

    pub(super) fn operation(&self) -> &Operation {
        &self.kernels.program.operation
    }

    /// Waits for the results and reads them.
    ///
    /// # Errors
    /// A key was no group, at this call or an earlier one; a graph is capturing the stream; the driver reports an error.
    pub fn read(&mut self) -> Result<Groups, Error> {
        let stored = self.read_stored()?;
        let Keyed { operation, keys, .. } = &self.kernels.program;
        Groups::new(operation, vec![keys.groups], stored)
    }

    fn read_stored(&mut self) -> Result<Vec<Lanes>, Error> {
        let Keyed { operation, keys, .. } = &self.kernels.program;
        let results = (RESULTS, keys.groups as usize);
        let read = faults::read(&self.stream, &mut self.memory, &operation.stored(), results)?;
        read.map_err(|position| SegmentsError::Key { position, groups: keys.groups }.into())
    }

    /// Queues the launches. `inputs` holds the address of the first element of each input.
    fn launch(&mut self, inputs: &[CUdeviceptr], params: &[Value]) -> Result<(), Error> {
        let KeyKernels { program, functions, .. } = &*self.kernels;
        let (base, partials) = (self.base, self.base + self.kernels.partials());
        let (chunks, tables) = (program.chunks(self.elements), program.tables(self.elements));
        let groups = program.keys.groups;
        let params: Vec<_> = params.iter().map(|param| param.bits()).collect();
        let fault = if program.keys.others == Others::Error { &[base][..] } else { &[] };
        let clear = [&[partials, self.elements][..], &params].concat();
        let first = [inputs, &[partials, self.elements], fault, &params].concat();
        let second = [&[partials, 0, base + RESULTS, tables, groups][..], &params].concat();
        let of_block = u64::from(program.partials.groups_of_block(Reads::Partials));
        let of_elements = Shape {
            grid: chunks as u32,
            block: program.tables.threads,
            shared: program.asked_shared_bytes(),
            dependent: false,
        };
        let of_groups = Shape {
            grid: groups.div_ceil(of_block) as u32,
            block: program.partials.threads(Reads::Partials),
            shared: 0,
            dependent: false,
        };
        let launches = [(of_elements, clear), (of_elements, first), (of_groups, second)];
        let launches = launches.into_iter().skip(3 - functions.len());
        self.stream.context().bind_to_thread().map_err(failed("binding its context"))?;
        for (function, (shape, arguments)) in functions.iter().zip(launches) {
            // SAFETY: the arguments are those of the kernel. The memory they point to is allocated, and freed in the order of the
            // stream; whoever gives the inputs keeps them as long.
            unsafe { launch(&self.stream, function, shape, &arguments) }
                .map_err(failed("launching a kernel"))?;
        }
        Ok(())
    }
}

impl Reducer {
    /// Queues a reduction of device data by keys, on the stream of the first input, and returns at once. The results stay on the device.
    /// Inputs are views of [`DeviceInput`]s of one axis, whose elements lie side by side; inputs and keys are read on one stream. There are
    /// no keys if the specification computes them.
    ///
    /// Keys that are no group are found by the kernels: [`DeviceKeys::read`] returns the error.
    ///
    /// # Errors
    /// As [`Reducer::reduce_keys`], except for keys that are no group; elements do not lie side by side; inputs are read on different
    /// streams, or do not lie in the context of the device.
    pub fn reduce_keys_device(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        keys: Option<&DeviceInput<'_>>,
        params: &[Value],
    ) -> Result<DeviceKeys, Error> {
        let call = self.device_keys(inputs, keys, params)?;
        let mut results = call.kernels.memory(&call.stream, call.elements)?;
        enqueue(&call, &mut results)?;
        Ok(results)
    }

    /// As [`Reducer::reduce_keys_device`], into the memory of an earlier call on the same stream, with as many elements. A call neither
    /// allocates nor waits.
    ///
    /// # Errors
    /// As [`Reducer::reduce_keys_device`], or the memory does not fit.
    pub fn reduce_keys_into(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        keys: Option<&DeviceInput<'_>>,
        params: &[Value],
        into: &mut DeviceKeys,
    ) -> Result<(), Error> {
        let call = self.device_keys(inputs, keys, params)?;
        call.check_fits(into)?;
        driver::refuse_capture(&into.stream)?;
        enqueue(&call, into)
    }

    /// As [`Reducer::reduce_keys_into`], on a stream that a CUDA graph captures. The call runs at each replay of the graph, on the elements
    /// and keys that are in their memory at that time.
    ///
    /// Make inputs and keys before the capture begins, and `into` by a call on as many elements.
    ///
    /// # Safety
    /// As [`Reducer::enqueue_captured`], with the keys as an input and `into` as the workspace.
    ///
    /// # Errors
    /// As [`Reducer::reduce_keys_into`], except that a captured stream is allowed.
    pub unsafe fn reduce_keys_captured(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        keys: Option<&DeviceInput<'_>>,
        params: &[Value],
        into: &mut DeviceKeys,
    ) -> Result<(), Error> {
        let call = self.device_keys(inputs, keys, params)?;
        call.check_fits(into)?;
        into.launch(&call.addresses(), params)
    }

    /// Checks a call on device memory.
    fn device_keys<'c>(
        &self,
        inputs: &'c [View<&'c DeviceInput<'c>>],
        keys: Option<&'c DeviceInput<'c>>,
        params: &'c [Value],
    ) -> Result<Call<'c>, Error> {
        let keying = self.keying().ok_or(SegmentsError::NoNumbers)?;
        let KeyBackend::Cuda(kernels) = &keying.backend else { return Err(Error::DeviceMemoryOnHost) };
        match (keying.program.keys.given, keys) {
            (Some(expected), Some(keys)) if expected != keys.ty() => {
                return Err(SegmentsError::KeyType { expected, found: keys.ty() }.into());
            }
            (Some(_), None) => return Err(SegmentsError::Missing.into()),
            (None, Some(_)) => return Err(SegmentsError::Computed.into()),
            (Some(_), Some(_)) | (None, None) => {}
        }
        inputs::check_params(&keying.program.operation, params)?;
        let of_keys = keys.map(|keys| View::new(keys, [keys.len()]));
        let all: Vec<_> = inputs.iter().cloned().chain(of_keys).collect();
        for (param, view) in keying.program.operation.inputs.iter().zip(&all) {
            inputs::check_input(Domain::WHOLE, param, &view.data.shape())?;
        }
        let shapes: Vec<_> =
            all.iter().map(|view| view.with_data((view.data.ty(), view.data.len()))).collect();
        let elements = check_line(&keying.program, &shapes)?;
        if elements > 1 && all.iter().any(|view| view.steps != [1]) {
            return Err(SegmentsError::OnDevice.into());
        }
        let stream = all.first().map(|view| view.data.stream().clone()).ok_or(Error::DeviceMemoryOnHost)?;
        for (at, view) in all.iter().enumerate() {
            if !view.data.is_in(kernels.gpu.context()) {
                return Err(Error::OtherContext { input: at, device: kernels.gpu.name() });
            }
            if **view.data.stream() != *stream {
                return Err(Error::InputOfOtherStream { input: at });
            }
        }
        Ok(Call { kernels: kernels.clone(), all, elements, stream, params })
    }
}

/// A checked call on device memory.
struct Call<'c> {
    kernels: Arc<KeyKernels>,
    /// The inputs, and the keys last.
    all: Vec<View<&'c DeviceInput<'c>>>,
    elements: u64,
    stream: Arc<CudaStream>,
    params: &'c [Value],
}

impl Call<'_> {
    /// Checks that the results fit into the memory of an earlier call.
    fn check_fits(&self, into: &DeviceKeys) -> Result<(), Error> {
        let fits = Arc::ptr_eq(&self.kernels, &into.kernels) && self.elements == into.elements;
        if !fits || *self.stream != *into.stream {
            return Err(Error::OtherWorkspace);
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<CUdeviceptr> {
        addresses(&self.all)
    }
}

/// Queues the launches, and reports the reads to cudarc.
fn enqueue(call: &Call<'_>, into: &mut DeviceKeys) -> Result<(), Error> {
    let launched = into.launch(&call.addresses(), call.params);
    let stream = into.stream.clone();
    // Also after a failed launch: earlier launches are queued.
    call.all.iter().map(|view| view.data.read_on(&stream)).fold(launched, Result::and)
}
