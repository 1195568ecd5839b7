//! Runs a program on a GPU: its kernels, level after level, as its plan says.

use super::driver::failed;
use super::gpu::Gpu;
use super::input::DeviceInput;
use crate::architecture::Target;
use crate::reducer::Outcome;
use crate::{Error, Strided};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use reduce_dsl::Value;
use reduce_dsl::lanes::LanesRef;
use reduce_dsl::operation::{Layout, Record};
use reduce_dsl::program::{Launch, Plan, Program, Reads};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Blocks of a launch (CUDA C++ Programming Guide, technical specifications).
const LARGEST_GRID: u64 = i32::MAX as u64;

/// The kernels of a program, loaded on a GPU. Every call has memory of its own, so threads may share them.
#[derive(Debug)]
pub(crate) struct Kernels {
    gpu: Gpu,
    plan: Plan,
    block: u32,
    layout: Layout,
    output: Record,
    /// The bytes of the padding, if the operation has any.
    padding: Option<Vec<u8>>,
    /// Does the kernel over partials take the number of elements?
    counts: bool,
    /// By what they read, as the program has them; the second is not there where one launch is enough.
    functions: Vec<CudaFunction>,
    /// Of the null stream, on which all of this crate's memory is allocated.
    stream: Arc<CudaStream>,
    /// Memory of finished calls, for the next ones.
    spare: Mutex<Vec<CudaSlice<u8>>>,
}

/// A plan for so many elements, what its launches are given, and the memory that they work in.
pub(super) struct Call {
    n: u64,
    /// The bits of the params, as every kernel takes them last.
    params: Vec<u64>,
    launches: Vec<Launch>,
    /// The workspace, and the result behind it.
    memory: CudaSlice<u8>,
    base: CUdeviceptr,
    result: u64,
}

impl Call {
    pub(super) fn launches(&self) -> &[Launch] {
        &self.launches
    }
}

impl Kernels {
    /// Prints, compiles and loads the kernels of a program.
    pub(crate) fn load(program: &Program, gpu: &Gpu) -> Result<Kernels, Error> {
        let target = Target::for_device(gpu.architecture(), gpu.nvrtc().architectures())?;
        let image = gpu.nvrtc().compile_program(program, target)?;
        let module = gpu.context().load_module(Ptx::from_binary(terminated(image.bytes)));
        let module = module.map_err(failed("loading the kernels"))?;
        let function = |reads| {
            let name = program.kernel(reads).name;
            module.load_function(name).map_err(failed("looking up a kernel"))
        };
        let all = [Reads::Inputs, Reads::Partials];
        let launched = if program.has_one_launch() { &all[..1] } else { &all };
        Ok(Kernels {
            gpu: gpu.clone(),
            plan: program.plan(),
            block: program.block,
            layout: program.operation.layout,
            output: program.operation.output.clone(),
            padding: program.operation.padding.as_ref().map(|it| bytes_of(&program.operation.acc, it)),
            counts: program.operation.counts(),
            functions: launched.iter().map(|&reads| function(reads)).collect::<Result<_, _>>()?,
            stream: gpu.context().default_stream(),
            spare: Mutex::default(),
        })
    }

    /// Reduces a copy of host memory. There is at least one element.
    pub(crate) fn reduce(
        &self,
        inputs: &[Strided<LanesRef<'_>>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let copies = inputs.iter().map(|input| self.copy(data(input))).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = copies.iter().map(|copy| copy.device_ptr(&self.stream)).collect();
        let located = pointers.iter().zip(inputs).map(|((pointer, _), input)| (*pointer, input.step));
        let call = self.call(inputs[0].len as u64, params)?;
        self.run(&self.stream, &self.arguments(located), call)
    }

    /// Reduces device memory. There is at least one element.
    pub(crate) fn reduce_device(
        &self,
        inputs: &[DeviceInput<'_>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let stream = inputs[0].stream();
        for (input, place) in inputs.iter().zip(0..) {
            if input.stream().context() != self.gpu.context() {
                return Err(Error::OtherContext { input: place, device: self.gpu.name() });
            }
            if input.stream() != stream {
                stream.join(input.stream()).map_err(failed("waiting for an input"))?;
            }
        }
        let located = inputs.iter().map(DeviceInput::pointer);
        self.run(stream, &self.arguments(located), self.call(inputs[0].len() as u64, params)?)
    }

    /// What the kernel over inputs takes for those that start at a pointer and go on by a step.
    pub(super) fn arguments(&self, inputs: impl Iterator<Item = (CUdeviceptr, usize)>) -> Vec<u64> {
        match self.layout {
            Layout::Contiguous => inputs.map(|(pointer, _)| pointer).collect(),
            Layout::Strided => inputs.flat_map(|(pointer, step)| [pointer, step as u64]).collect(),
        }
    }

    /// Launches the plan, waits, and reads the result.
    fn run(&self, stream: &CudaStream, inputs: &[u64], mut call: Call) -> Result<Outcome, Error> {
        self.set_padding(&mut call)?;
        stream.synchronize().map_err(failed("waiting for the inputs"))?;
        let start = Instant::now();
        let launched = self.launch_all(stream, &call, inputs);
        // Also after a failed launch, so that nothing is running when the memory is given back.
        let finished = stream.synchronize().map_err(failed("running the kernels"));
        let kernel = start.elapsed();
        launched.and(finished)?;
        let values = self.read(&call.memory, call.result as usize)?;
        self.give_back(call.memory);
        Ok(Outcome { values, kernel })
    }

    /// The plan for n elements, with memory that no other call uses.
    pub(super) fn call(&self, n: u64, params: &[Value]) -> Result<Call, Error> {
        let launches = launches(&self.plan, n)?;
        let result = self.plan.workspace(n).next_multiple_of(self.output.align() as u64);
        let memory = self.memory(result + self.output.size() as u64)?;
        let base = memory.device_ptr(&self.stream).0;
        let params = params.iter().map(|param| param.bits()).collect();
        Ok(Call { n, params, launches, memory, base, result })
    }

    /// Sets the accumulator that the blocks meet in, if they do.
    pub(super) fn set_padding(&self, call: &mut Call) -> Result<(), Error> {
        let Some(padding) = self.padding.as_ref().filter(|_| self.plan.starts_from_padding()) else {
            return Ok(());
        };
        self.stream.memcpy_htod(padding, &mut call.memory).map_err(failed("setting the padding"))?;
        self.stream.synchronize().map_err(failed("setting the padding"))
    }

    /// Launches every kernel of the plan.
    pub(super) fn launch_all(&self, stream: &CudaStream, call: &Call, inputs: &[u64]) -> Result<(), Error> {
        call.launches.iter().try_for_each(|launch| self.launch(stream, call, launch, inputs))
    }

    /// Launches one kernel of the plan. Every argument is given as 64 bits, of which the driver takes as many bytes as
    /// the parameter has.
    pub(super) fn launch(
        &self,
        stream: &CudaStream,
        call: &Call,
        launch: &Launch,
        inputs: &[u64],
    ) -> Result<(), Error> {
        let region = |region| call.base + self.plan.offset(call.n, region);
        let (from, to) = (region(launch.from), region(launch.to));
        let items = match launch.kernel {
            Reads::Inputs => inputs,
            Reads::Partials => &[from],
        };
        let rest = [to, call.base + call.result, launch.items];
        let elements = (self.counts && launch.kernel == Reads::Partials).then_some(&call.n);
        let mut builder = stream.launch_builder(&self.functions[launch.kernel as usize]);
        for arg in items.iter().chain(&rest).chain(elements).chain(&call.params) {
            builder.arg(arg);
        }
        let config = LaunchConfig {
            grid_dim: (launch.grid as u32, 1, 1),
            block_dim: (self.block, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the arguments are those of the kernels that reduce-codegen prints: the inputs, with their steps
        // where they have some, or the items, both alive and of `launch.items` items, the partials and the result,
        // both of the size the plan says, the number of items, for a kernel over partials that of all elements if it
        // takes it, and the params, of the types that the operation names, on a little-endian machine. The caller waits
        // for the stream before it frees any of them.
        unsafe { builder.launch(config) }.map(|_| ()).map_err(failed("launching a kernel"))
    }

    /// Memory of at least that many bytes which no other call uses.
    fn memory(&self, bytes: u64) -> Result<CudaSlice<u8>, Error> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        match spare.iter().position(|memory| memory.len() as u64 >= bytes) {
            Some(place) => Ok(spare.swap_remove(place)),
            None => {
                drop(spare);
                let memory = self.gpu.allocate(&self.stream, bytes)?;
                // It is used on the streams of inputs, and allocated in the order of this one.
                self.stream.synchronize().map_err(failed("allocating memory"))?;
                Ok(memory)
            }
        }
    }

    /// Keeps memory for the next calls, and frees what is smaller: calls on more and more elements would
    /// otherwise leave a piece each.
    fn give_back(&self, memory: CudaSlice<u8>) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.retain(|other| other.len() >= memory.len());
        spare.push(memory);
    }

    fn copy(&self, bytes: &[u8]) -> Result<CudaSlice<u8>, Error> {
        let mut copy = self.gpu.allocate(&self.stream, bytes.len() as u64)?;
        self.stream.memcpy_htod(bytes, &mut copy).map_err(failed("copying an input to the device"))?;
        Ok(copy)
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(super) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The fields of the result, which starts `at` that byte.
    fn read(&self, memory: &CudaSlice<u8>, at: usize) -> Result<Vec<Value>, Error> {
        let view = memory.slice(at..at + self.output.size());
        let bytes = self.stream.clone_dtoh(&view).map_err(failed("reading the result"))?;
        self.stream.synchronize().map_err(failed("reading the result"))?;
        let field = |(offset, field): (usize, &reduce_dsl::func::Param)| {
            let mut word = [0; 8];
            let size = field.ty.size();
            word[..size].copy_from_slice(&bytes[offset..offset + size]);
            Value::from_bits(field.ty, u64::from_le_bytes(word))
        };
        Ok(self.output.offsets().into_iter().zip(&self.output.fields).map(field).collect())
    }
}

/// The launches for n elements, if each is one that a GPU can make.
fn launches(plan: &Plan, n: u64) -> Result<Vec<Launch>, Error> {
    let launches = plan.launches(n);
    match launches.iter().map(|launch| launch.grid).find(|&grid| grid > LARGEST_GRID) {
        Some(grid) => Err(Error::GridTooLarge { n, grid, limit: LARGEST_GRID }),
        None => Ok(launches),
    }
}

/// The driver reads PTX up to a zero; a cubin knows its length.
pub(super) fn terminated(mut image: Vec<u8>) -> Vec<u8> {
    image.push(0);
    image
}

/// The bytes of a record, laid out as in C.
fn bytes_of(record: &Record, values: &[Value]) -> Vec<u8> {
    let mut bytes = vec![0; record.size()];
    for (offset, value) in record.offsets().into_iter().zip(values) {
        let size = value.ty().size();
        bytes[offset..offset + size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
    }
    bytes
}

/// The bytes of an input, from its first element to its last.
pub(super) fn data<'a>(input: &Strided<LanesRef<'a>>) -> &'a [u8] {
    bytes(input.data.slice(input.places(0..input.len)))
}

/// The bytes of lanes as they lie in memory.
fn bytes(input: LanesRef<'_>) -> &[u8] {
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

#[cfg(test)]
mod tests {
    use super::{LARGEST_GRID, launches};
    use crate::Error;
    use reduce_codegen::lower::lower;
    use reduce_dsl::Scalar;
    use reduce_dsl::func::Param;
    use reduce_dsl::operators::operator;

    #[test]
    fn a_grid_beyond_the_limit_is_the_users_to_coarsen() -> Result<(), Box<dyn std::error::Error>> {
        let max = operator("max").ok_or("a row")?.apply(&[Param::new("x", Scalar::F16)], None)?;
        let plan = lower(&max, 32)?.plan();
        let most = 32 * LARGEST_GRID;
        assert_eq!(launches(&plan, most)?[0].grid, LARGEST_GRID);
        let error = launches(&plan, most + 1).err().ok_or("one block too many")?;
        assert!(matches!(error, Error::GridTooLarge { .. }) && error.is_users_fault());
        assert!(error.to_string().contains("coarsen"), "{error}");
        Ok(())
    }
}
