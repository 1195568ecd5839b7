//! A specification compiled for a device.

#[cfg(feature = "cuda")]
use crate::Workspace;
use crate::cuda::{Kernels, SegmentKernels};
use crate::device::DeviceKind;
use crate::groups::ensure_nonempty;
use crate::host::HostError;
use crate::keys::{self, Keying};
use crate::{Architecture, Device, Error, Strided, Timing, host, inputs};
#[cfg(feature = "cuda")]
use cudarc::driver::{CudaSlice, CudaStream};
use reduce_codegen::{Programs, Tuning};
use reduce_ir::operation::Operation;
use reduce_ir::program::{Association, Program};
use reduce_ir::{Domain, Scalar, Spec, Value};
use reduce_lanes::LanesRef;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A reduction compiled for a device, ready to run on any data. Types are checked at the call.
///
/// Threads may share it. On a GPU, dropping the last of a reducer and its workspaces waits for all queued work, because
/// the kernels may still run.
pub struct Reducer {
    programs: Programs,
    device: Device,
    pub(crate) backend: Backend,
    /// The specification, unless the reducer is one of programs. Calls with other shapes may need other programs.
    pub(crate) spec: Option<Spec>,
    /// The kernels for domains other than that of `programs`.
    pub(crate) others: Mutex<Vec<(Domain, Arc<Kernels>)>>,
    /// The program over elements with keys, if the specification has keys that number groups.
    pub(crate) keying: Option<Keying>,
    /// The kernels over segments.
    #[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "the host needs no kernels"))]
    pub(crate) segmented: Mutex<Vec<Segmenting>>,
    pub(crate) parts: crate::partials::OfParts,
}

/// Shows the operation and the device, without cached state.
impl fmt::Debug for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Reducer");
        shown.field("operation", &self.operation().name).field("device", &self.device).finish_non_exhaustive()
    }
}

/// Kernels over segments, for a type of offsets and a domain, with narrow or wide positions, and with those that find runs or without.
pub(crate) type Segmenting = ((Scalar, Domain, bool, bool), Arc<SegmentKernels>);

/// The backend that runs the programs.
pub(crate) enum Backend {
    /// Evaluates the associations of the programs.
    Host {
        plan: Box<host::Plan>,
        associations: Vec<Association>,
    },
    Cuda(Arc<Kernels>),
}

/// The result of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// One value for each field of the result, [`Operation::output`](reduce_ir::operation::Operation).
    pub values: Vec<Value>,
    /// Wall time of the computation by the host's clock, without transfers of elements. On a GPU it includes the copy of
    /// the result and, for elements on the device, earlier work of their stream.
    pub kernel: Duration,
}

impl Reducer {
    /// Lowers `spec` and applies its passes.
    ///
    /// For a GPU, this compiles the kernels of a list of passes. The kernels of `passes: auto` differ by number of
    /// elements. They are compiled on first use, or by [`Reducer::prepare`].
    ///
    /// # Errors
    /// A pass does not apply, the GPU is too old for the passes, or NVRTC or the driver reports an error.
    pub fn new(spec: &Spec, device: &Device) -> Result<Reducer, Error> {
        let tuning = device.architecture().map_or(Tuning::DEFAULT, Architecture::tuning);
        if keys::has_keys(spec) {
            return Reducer::with_keys(spec, device, tuning);
        }
        let reducer = Reducer::of(Programs::of(spec, tuning)?, device)?;
        Ok(Reducer { spec: Some(spec.clone()), ..reducer })
    }

    /// As [`Reducer::new`], for programs that are already lowered. If they have a maximum number of elements, so has
    /// the reducer.
    ///
    /// # Errors
    /// The GPU is too old for the programs, or NVRTC or the driver reports an error.
    pub fn of(programs: Programs, device: &Device) -> Result<Reducer, Error> {
        let backend = match device.kind() {
            DeviceKind::Host => Backend::Host {
                plan: Box::new(host::Plan::new(programs.operation())?),
                associations: programs.variants().iter().map(Program::association).collect(),
            },
            DeviceKind::Cuda(gpu) => Backend::Cuda(Arc::new(Kernels::new(&programs, gpu)?)),
        };
        let (others, segmented, parts) = Default::default();
        let device = device.clone();
        Ok(Reducer { programs, device, backend, spec: None, others, keying: None, segmented, parts })
    }

    /// Returns the programs, one for each range of n.
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// Returns the operation, which all programs compute.
    pub fn operation(&self) -> &Operation {
        self.programs.operation()
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Reduces slices, or [`Strided`] elements, in host memory. For a GPU, they are copied. Inputs of different types
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
    /// The inputs differ from the specification in number, type, length or layout; elements lie outside their data;
    /// there is no element, or none left after `filter` or `nan: ignore`, and no identity; the driver reports an error.
    pub fn reduce<'a>(&self, inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>]) -> Result<Outcome, Error> {
        self.reduce_with(inputs, &[])
    }

    /// As [`Reducer::reduce`], with values for the params, in their order.
    ///
    /// # Errors
    /// As [`Reducer::reduce`], or params differ from the specification in number or type.
    pub fn reduce_with<'a>(
        &self,
        inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        inputs::check_params(self.operation(), params)?;
        let inputs: Vec<_> = inputs.iter().map(|&input| input.into()).collect();
        let n = self.check(&inputs)?;
        match &self.backend {
            Backend::Cuda(_) if n == 0 => self.empty_result(params),
            Backend::Cuda(kernels) => self.reduce_copies(kernels, &inputs, params),
            Backend::Host { plan, associations } => {
                let association = &associations[self.programs.place(n)];
                self.outcome(|| plan.reduce(association, &inputs, params))
            }
        }
    }

    /// Reduces data on the device, on the stream of the first input. That stream waits for the streams of the other
    /// inputs. Returns when the result is available. Other kernels of that stream must obey the rules in
    /// [`Reducer::enqueue`].
    ///
    /// # Errors
    /// As [`Reducer::reduce`], or the data does not lie in the context of the device.
    #[cfg(feature = "cuda")]
    pub fn reduce_device(&self, inputs: &[crate::DeviceInput<'_>]) -> Result<Outcome, Error> {
        self.reduce_device_with(inputs, &[])
    }

    /// As [`Reducer::reduce_device`], with values for the params, in their order.
    ///
    /// # Errors
    /// As [`Reducer::reduce_device`], or params differ from the specification in number or type.
    #[cfg(feature = "cuda")]
    pub fn reduce_device_with(
        &self,
        inputs: &[crate::DeviceInput<'_>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let n = self.check_call(inputs, params)?;
        match self.on_gpu()? {
            _ if n == 0 => self.empty_result(params),
            kernels => kernels.reduce_device(inputs, params),
        }
    }

    /// Makes a workspace for [`Reducer::enqueue`] on that stream, for up to n elements, and compiles the kernels for n.
    /// Fewer elements may need other kernels: [`Reducer::prepare_all`] compiles them ahead.
    ///
    /// # Errors
    /// The device is the host; the stream belongs to another context, or is the per-thread stream; NVRTC or the driver
    /// reports an error.
    #[cfg(feature = "cuda")]
    pub fn workspace(&self, stream: &Arc<CudaStream>, n: u64) -> Result<Workspace, Error> {
        self.on_gpu()?.workspace(stream, self.within(n)?)
    }

    /// Returns the bytes of a workspace for up to n elements, for [`Reducer::workspace_in`].
    ///
    /// # Errors
    /// The device is the host.
    #[cfg(feature = "cuda")]
    pub fn workspace_bytes(&self, n: u64) -> Result<u64, Error> {
        Ok(self.on_gpu()?.workspace_bytes(self.within(n)?))
    }

    /// Makes a workspace as [`Reducer::workspace`] does, but in memory of the caller and on its stream. The contents of
    /// the memory do not matter. [`Workspace::into_memory`] returns the memory.
    ///
    /// # Errors
    /// As [`Reducer::workspace`]; the memory has fewer than [`Reducer::workspace_bytes`], or is not aligned to 256
    /// bytes.
    #[cfg(feature = "cuda")]
    pub fn workspace_in(&self, memory: CudaSlice<u8>, n: u64) -> Result<Workspace, Error> {
        self.on_gpu()?.workspace_in(memory, self.within(n)?)
    }

    /// Checks that this reducer made the workspace.
    #[cfg(feature = "cuda")]
    pub(crate) fn check_workspace(&self, workspace: &Workspace) -> Result<(), Error> {
        self.on_gpu()?.check_workspace(workspace)
    }

    /// Queues a reduction of device data on a stream and returns at once. The result stays on the device, in the
    /// workspace: see [`Workspace::result_ptr`] and [`Workspace::read`].
    ///
    /// If the kernels are compiled, a call neither allocates nor waits. Only if the number of elements differs from the
    /// previous call with this workspace, the host plans again. The order of the stream separates calls with one
    /// workspace. For CUDA graphs, use [`Reducer::enqueue_captured`].
    ///
    /// On sm_90 and newer, the kernels of `passes: auto` are programmatic dependent launches (CUDA C++ Programming
    /// Guide): each waits until the previous launch of the stream is complete before it touches memory. Other kernels
    /// of that stream that are launched in this way must therefore wait as well (`griddepcontrol.wait`):
    ///
    /// - An earlier kernel must wait, so that the reduction is ordered after everything that the kernel is ordered
    ///   after.
    /// - A later kernel must wait before it writes memory that the reduction reads.
    ///
    /// In a captured graph, the edges between such kernels are programmatic. They are read together with their data
    /// (`cuGraphGetEdges_v2`).
    ///
    /// # Errors
    /// Inputs and params as in [`Reducer::reduce_device_with`]; the workspace was made by another reducer, for another
    /// stream, or for fewer elements; inputs were made for another stream; a graph is capturing the stream; the driver
    /// reports an error.
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

    /// As [`Reducer::enqueue`], on a stream that a CUDA graph captures. The call runs at each replay of the graph, on
    /// the elements that are in the input memory at that time.
    ///
    /// The kernels must be compiled ([`Reducer::prepare`]). Make inputs and workspace before the capture begins.
    ///
    /// # Safety
    /// Nothing here knows of the graph. Until its last replay is complete:
    /// - this reducer, the workspace and the memory of the inputs are neither dropped nor moved to other streams;
    /// - replays are ordered with everything that uses the workspace or writes the inputs, for example by replaying on
    ///   the stream of the workspace.
    ///
    /// # Errors
    /// As [`Reducer::enqueue`], except that a captured stream is allowed.
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

    /// Checks the arguments of a call on a device and returns its number of elements.
    #[cfg(feature = "cuda")]
    pub(crate) fn check_call(
        &self,
        inputs: &[crate::DeviceInput<'_>],
        params: &[Value],
    ) -> Result<u64, Error> {
        inputs::check_params(self.operation(), params)?;
        self.within(inputs::check(
            self.operation(),
            self.one_group()?,
            inputs.iter().map(crate::DeviceInput::shape),
        )?)
    }

    /// Compiles the kernels for n elements on a GPU, if they are not compiled yet. Does nothing on the host.
    ///
    /// # Errors
    /// NVRTC or the driver reports an error.
    pub fn prepare(&self, n: u64) -> Result<(), Error> {
        let n = self.within(n)?;
        self.kernels().map_or(Ok(()), |kernels| kernels.prepare(n))
    }

    /// Compiles the kernels for every n, in parallel.
    ///
    /// # Errors
    /// As [`Reducer::prepare`].
    pub fn prepare_all(&self) -> Result<(), Error> {
        self.kernels().map_or(Ok(()), |kernels| kernels.prepare_all())
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

    /// Times every launch of the plan for these inputs, and the whole plan, on a GPU: see [`Timing`]. The inputs are
    /// copied to the device once, including the gaps between strided elements, and stay there.
    ///
    /// # Errors
    /// The device is the host; there are no elements; an error of [`Reducer::reduce`] about the inputs; the driver
    /// reports an error.
    pub fn time<'a>(&self, inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>]) -> Result<Timing, Error> {
        self.time_with(inputs, &[])
    }

    /// As [`Reducer::time`], with values for the params, in their order.
    ///
    /// # Errors
    /// As [`Reducer::time`], or params differ from the specification in number or type.
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

    /// Returns the result of an empty input, without a launch.
    fn empty_result(&self, params: &[Value]) -> Result<Outcome, Error> {
        self.outcome(|| host::empty_result(self.operation(), params))
    }

    /// Times a computation of the host.
    fn outcome(&self, compute: impl FnOnce() -> Result<Vec<Value>, HostError>) -> Result<Outcome, Error> {
        let start = Instant::now();
        let values = compute()?;
        let kernel = start.elapsed();
        Ok(Outcome { values: ensure_nonempty(self.operation(), values)?, kernel })
    }

    /// Checks the inputs and returns their number of elements.
    fn check(&self, inputs: &[Strided<LanesRef<'_>>]) -> Result<u64, Error> {
        let shapes = inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len())));
        self.within(inputs::check(self.operation(), self.one_group()?, shapes)?)
    }

    /// Returns the domain, if a call has one result.
    fn one_group(&self) -> Result<Domain, Error> {
        let domain = self.programs.domain();
        if domain.is_grouped() { Err(Error::SeveralGroups) } else { Ok(domain) }
    }

    /// Returns `n`, if there is a program for that many elements.
    pub(crate) fn within(&self, n: u64) -> Result<u64, Error> {
        match self.programs.up_to() {
            Some(most) if n > most => Err(Error::TooManyElements { n, most }),
            _ => Ok(n),
        }
    }
}
