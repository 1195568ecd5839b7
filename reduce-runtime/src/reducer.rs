//! A specification compiled for a device.

#[cfg(feature = "cuda")]
use crate::Workspace;
use crate::cuda::Kernels;
use crate::device::Place;
use crate::host::HostError;
use crate::{Architecture, Device, Error, Strided, Timing, host, inputs};
#[cfg(feature = "cuda")]
use cudarc::driver::{CudaSlice, CudaStream};
use reduce_codegen::{Programs, Tuning};
use reduce_ir::operation::Operation;
use reduce_ir::program::{Association, Program};
use reduce_ir::{Domain, Spec, Value};
use reduce_lanes::LanesRef;
use std::fmt;
#[cfg(feature = "cuda")]
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A reduction compiled for a device, ready to run on any data; its types are checked at the call.
/// Threads may share it. On a GPU, the last one of it and of its workspaces waits for what is queued when it is dropped, as its
/// kernels may still run.
pub struct Reducer {
    programs: Programs,
    device: Device,
    pub(crate) backend: Backend,
}

/// What it reduces and where, without what it keeps for that.
impl fmt::Debug for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Reducer");
        shown.field("operation", &self.operation().name).field("device", &self.device).finish_non_exhaustive()
    }
}

/// What runs the programs.
pub(crate) enum Backend {
    /// Evaluates their associations.
    Host {
        plan: Box<host::Plan>,
        associations: Vec<Association>,
    },
    Cuda(Kernels),
}

/// The result of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// One value for each field of the result, [`Operation::output`](reduce_ir::operation::Operation).
    pub values: Vec<Value>,
    /// Wall time of the computation on the host's clock, without transfers of elements. Of elements on a device, all that their
    /// stream still had to do before is in it, and the copy of the result.
    pub kernel: Duration,
}

impl Reducer {
    /// Lowers `spec` and applies its passes. For a GPU, the kernels of a list of passes are compiled; those of
    /// `passes: auto`, which are others for other numbers of elements, when they are needed first, or by
    /// [`Reducer::prepare`].
    ///
    /// # Errors
    /// A pass that does not apply; on a GPU, one that is too old for the passes; what NVRTC and the driver report.
    pub fn new(spec: &Spec, device: &Device) -> Result<Reducer, Error> {
        let tuning = device.architecture().map_or(Tuning::DEFAULT, Architecture::tuning);
        Reducer::of(Programs::of(spec, tuning)?, device)
    }

    /// As [`Reducer::new`], of programs that are there already. One that is for some n at most reduces no more elements.
    ///
    /// # Errors
    /// On a GPU, one that is too old for them; what NVRTC and the driver report.
    pub fn of(programs: Programs, device: &Device) -> Result<Reducer, Error> {
        let backend = match device.place() {
            Place::Host => Backend::Host {
                plan: Box::new(host::Plan::new(programs.operation())?),
                associations: programs.variants().iter().map(Program::association).collect(),
            },
            Place::Cuda(gpu) => Backend::Cuda(Kernels::new(&programs, gpu)?),
        };
        Ok(Reducer { programs, device: device.clone(), backend })
    }

    /// The programs that run, one for each range of n.
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// What is computed, by every program.
    pub fn operation(&self) -> &Operation {
        self.programs.operation()
    }

    /// Where it runs.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Reduces slices, or [`Strided`] elements, in the memory of the host; a GPU gets a copy. Inputs of several types
    /// are given as [`LanesRef`].
    ///
    /// ```
    /// # use reduce_runtime::{Device, Reducer};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sum = Reducer::new(&reduce_dsl::parse::spec("op: sum, ty: f32")?, &Device::host())?;
    /// let outcome = sum.reduce(&[[1.0f32, 2.5].as_slice()])?;
    /// assert_eq!(outcome.values, [3.5f32.into()]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Inputs of another number, type, length or layout than the specification says; elements that lie outside
    /// their data; no elements and no identity, or none left that are not NaN; what the driver reports.
    pub fn reduce<'a>(&self, inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>]) -> Result<Outcome, Error> {
        self.reduce_with(inputs, &[])
    }

    /// As [`Reducer::reduce`], with values for the params, in their order.
    ///
    /// # Errors
    /// As [`Reducer::reduce`], and params of another number or type than the specification says.
    pub fn reduce_with<'a>(
        &self,
        inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        inputs::check_params(self.operation(), params)?;
        let inputs: Vec<_> = inputs.iter().map(|&input| input.into()).collect();
        let n = self.check(&inputs)?;
        match &self.backend {
            Backend::Cuda(_) if n == 0 => self.reduce_nothing(params),
            Backend::Cuda(kernels) => kernels.reduce(&inputs, params),
            Backend::Host { plan, associations } => {
                let association = &associations[self.programs.place(n)];
                self.outcome(|| plan.reduce(association, &inputs, params))
            }
        }
    }

    /// Reduces data that lies on the device, on the stream of the first input, which waits for the streams
    /// of the others. Returns when the result is there. Other kernels of that stream must wait as those before [`Reducer::enqueue`].
    ///
    /// # Errors
    /// As [`Reducer::reduce`], and if the data does not lie in the context of the device.
    #[cfg(feature = "cuda")]
    pub fn reduce_device(&self, inputs: &[crate::DeviceInput<'_>]) -> Result<Outcome, Error> {
        self.reduce_device_with(inputs, &[])
    }

    /// As [`Reducer::reduce_device`], with values for the params, in their order.
    ///
    /// # Errors
    /// As [`Reducer::reduce_device`], and params of another number or type than the specification says.
    #[cfg(feature = "cuda")]
    pub fn reduce_device_with(
        &self,
        inputs: &[crate::DeviceInput<'_>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let n = self.check_call(inputs, params)?;
        match self.on_gpu()? {
            _ if n == 0 => self.reduce_nothing(params),
            kernels => kernels.reduce_device(inputs, params),
        }
    }

    /// Memory for [`Reducer::enqueue`] on that stream, for up to n elements, for which the kernels are compiled; those for
    /// fewer elements may be others, which [`Reducer::prepare_all`] compiles ahead.
    ///
    /// # Errors
    /// The device is the host; the stream belongs to another context, or is the per-thread stream; what NVRTC and the
    /// driver report.
    #[cfg(feature = "cuda")]
    pub fn workspace(&self, stream: &Arc<CudaStream>, n: u64) -> Result<Workspace, Error> {
        self.on_gpu()?.workspace(stream, self.within(n)?)
    }

    /// Bytes of the memory of a workspace for up to n elements, for [`Reducer::workspace_in`].
    ///
    /// # Errors
    /// The device is the host.
    #[cfg(feature = "cuda")]
    pub fn workspace_bytes(&self, n: u64) -> Result<u64, Error> {
        Ok(self.on_gpu()?.workspace_bytes(self.within(n)?))
    }

    /// A workspace as [`Reducer::workspace`] makes it, in memory of the caller, whatever it holds, and on the stream of that
    /// memory. [`Workspace::into_memory`] gives it back.
    ///
    /// # Errors
    /// As [`Reducer::workspace`]; the memory has fewer than [`Reducer::workspace_bytes`], or is not aligned to 256 bytes.
    #[cfg(feature = "cuda")]
    pub fn workspace_in(&self, memory: CudaSlice<u8>, n: u64) -> Result<Workspace, Error> {
        self.on_gpu()?.workspace_in(memory, self.within(n)?)
    }

    /// Is it a workspace that this reducer made?
    #[cfg(feature = "cuda")]
    pub(crate) fn check_workspace(&self, workspace: &Workspace) -> Result<(), Error> {
        self.on_gpu()?.check_workspace(workspace)
    }

    /// Queues a reduction of data on the device on a stream and returns at once. The result stays on the device, in the
    /// workspace: see [`Workspace::result_ptr`] and [`Workspace::read`].
    ///
    /// Nothing is allocated and nothing waits, if the kernels are compiled; only where
    /// the number of elements is another one than in the call before with this workspace, the host plans anew.
    /// Calls with one workspace are kept apart by the order of its stream. For CUDA graphs there is [`Reducer::enqueue_captured`].
    ///
    /// On sm_90 and newer the kernels of `passes: auto` are programmatic dependent launches (CUDA C++ Programming Guide): each waits
    /// until the previous launch of the stream is done before it touches memory. So other kernels of that stream that
    /// are launched in this way must wait as well (`griddepcontrol.wait`), those before so that the reduction is behind all
    /// that they are behind, and those behind before they write what it reads. In a captured graph the edges between such
    /// kernels are programmatic ones, which are read together with their data (`cuGraphGetEdges_v2`).
    ///
    /// # Errors
    /// Inputs and params as in [`Reducer::reduce_device_with`]; a workspace that another reducer made, that is of
    /// another stream or for fewer elements; inputs that were made for another stream; a graph is capturing the stream; what
    /// the driver reports.
    #[cfg(feature = "cuda")]
    pub fn enqueue(
        &self,
        stream: &Arc<CudaStream>,
        inputs: &[crate::DeviceInput<'_>],
        params: &[Value],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let n = self.check_call(inputs, params)?;
        self.on_gpu()?.enqueue(stream, n, inputs, params, workspace)
    }

    /// As [`Reducer::enqueue`], on a stream that a CUDA graph captures. The call runs whenever the graph does, on the elements that are
    /// in the memory of the inputs then.
    ///
    /// The kernels must be compiled ([`Reducer::prepare`]); inputs and workspace are made before the capture begins.
    ///
    /// # Safety
    /// Nothing here knows of the graph. Until its last replay is done:
    /// - this reducer, the workspace and the memory of the inputs are neither dropped nor moved to other streams;
    /// - replays are ordered with everything that uses the workspace or writes the inputs, as by replaying on the stream of the workspace.
    ///
    /// # Errors
    /// As [`Reducer::enqueue`], of which a captured stream is none.
    #[cfg(feature = "cuda")]
    pub unsafe fn enqueue_captured(
        &self,
        stream: &Arc<CudaStream>,
        inputs: &[crate::DeviceInput<'_>],
        params: &[Value],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let n = self.check_call(inputs, params)?;
        // SAFETY: the caller promises it.
        unsafe { self.on_gpu()?.enqueue_captured(stream, n, inputs, params, workspace) }
    }

    /// The number of elements of a call on a device.
    #[cfg(feature = "cuda")]
    fn check_call(&self, inputs: &[crate::DeviceInput<'_>], params: &[Value]) -> Result<u64, Error> {
        inputs::check_params(self.operation(), params)?;
        self.within(inputs::check(
            self.operation(),
            self.one_group()?,
            inputs.iter().map(crate::DeviceInput::shape),
        )?)
    }

    /// Compiles what n elements need on a GPU, if it is not compiled. The host needs nothing.
    ///
    /// # Errors
    /// What NVRTC and the driver report.
    pub fn prepare(&self, n: u64) -> Result<(), Error> {
        let n = self.within(n)?;
        self.kernels().map_or(Ok(()), |kernels| kernels.prepare(n))
    }

    /// The same for every n, in parallel.
    ///
    /// # Errors
    /// As [`Reducer::prepare`].
    pub fn prepare_all(&self) -> Result<(), Error> {
        self.kernels().map_or(Ok(()), Kernels::prepare_all)
    }

    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> Result<&Kernels, Error> {
        self.kernels().ok_or(Error::DeviceMemoryOnHost)
    }

    fn kernels(&self) -> Option<&Kernels> {
        match &self.backend {
            Backend::Host { .. } => None,
            Backend::Cuda(kernels) => Some(kernels),
        }
    }

    /// Times every launch of the plan for these inputs, and the whole plan, on a GPU: see [`Timing`]. The
    /// inputs are copied to the device once, with what lies between strided elements, and from then on they
    /// stay there.
    ///
    /// # Errors
    /// The device is the host; there are no elements; what [`Reducer::reduce`] says of inputs, and what the
    /// driver reports.
    pub fn time<'a>(&self, inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>]) -> Result<Timing, Error> {
        self.time_with(inputs, &[])
    }

    /// As [`Reducer::time`], with values for the params, in their order.
    ///
    /// # Errors
    /// As [`Reducer::time`], and params of another number or type than the specification says.
    pub fn time_with<'a>(
        &self,
        inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
        params: &[Value],
    ) -> Result<Timing, Error> {
        inputs::check_params(self.operation(), params)?;
        let inputs: Vec<_> = inputs.iter().map(|&input| input.into()).collect();
        let n = self.check(&inputs)?;
        match self.kernels() {
            None => Err(Error::HostHasNoClock),
            Some(_) if n == 0 => Err(Error::NothingToTime),
            Some(kernels) => kernels.time(&inputs, params),
        }
    }

    /// The result of no elements, for which there is nothing to launch.
    fn reduce_nothing(&self, params: &[Value]) -> Result<Outcome, Error> {
        self.outcome(|| host::reduce_nothing(self.operation(), params))
    }

    /// What the host computes, timed.
    fn outcome(&self, compute: impl FnOnce() -> Result<Vec<Value>, HostError>) -> Result<Outcome, Error> {
        let start = Instant::now();
        let values = compute()?;
        let kernel = start.elapsed();
        Ok(Outcome { values: something(self.operation(), values)?, kernel })
    }

    /// The number of elements of inputs that are what the operation takes.
    fn check(&self, inputs: &[Strided<LanesRef<'_>>]) -> Result<u64, Error> {
        let shapes = inputs.iter().map(|input| input.of((input.data.ty(), input.data.len())));
        self.within(inputs::check(self.operation(), self.one_group()?, shapes)?)
    }

    /// The elements of a call with one result.
    fn one_group(&self) -> Result<Domain, Error> {
        let domain = self.programs.domain();
        if domain.is_grouped() { Err(Error::SeveralGroups) } else { Ok(domain) }
    }

    /// As many elements, if there is a program for them.
    pub(crate) fn within(&self, n: u64) -> Result<u64, Error> {
        match self.programs.up_to() {
            Some(most) if n > most => Err(Error::TooManyElements { n, most }),
            _ => Ok(n),
        }
    }
}

/// The result without its flag, unless it says that no element was left to reduce.
pub(crate) fn something(operation: &Operation, values: Vec<Value>) -> Result<Vec<Value>, Error> {
    operation.unstored(values).ok_or_else(|| Error::NothingLeft { operator: operation.name.clone() })
}
