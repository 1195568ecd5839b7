//! A reduction with Rust types, as `reduction!` makes it.

mod arrays;
mod compiled_once;
mod into;
mod numbered;
mod parts;
mod runs;
mod segments;
mod stream;
mod tuples;
mod types;
mod with;

#[cfg(feature = "cuda")]
pub(crate) use arrays::array;
pub use arrays::{Array, GroupResult, Views};
pub use numbered::Numbered;
pub use runs::{Keyed, Runs};
pub use segments::Ragged;
pub use tuples::{take, width};
pub use types::{CompleteParams, NamedParams, NoParams, Output, Params, Returned, Slices};
pub use with::With;

use crate::{Device, Error, Reducer, Strided};
#[cfg(feature = "cuda")]
use crate::{DeviceInputs, Workspace};
#[cfg(feature = "cuda")]
use cudarc::driver::CudaStream;
use reduce_ir::program::Program;
use reduce_ir::{Spec, Value};
use reduce_lanes::LanesRef;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A reduction from slices of `In` to `Out`: `f32` to `f32`, or `(f32, f32)` to `f32` for two inputs.
///
/// `P` is the type of the params that are given at the call: `f32`, the struct of several, or `()` for none. A reduction
/// is a plain value: a `const`, a `static` and a `let` serve alike, because the process keeps what it has compiled.
#[must_use = "a reduction does nothing until it is called"]
pub struct Reduction<In, Out, P = ()> {
    spec: fn() -> Result<Spec, Error>,
    types: PhantomData<fn(In, P) -> Out>,
}

impl<In, Out, P> Clone for Reduction<In, Out, P> {
    fn clone(&self) -> Reduction<In, Out, P> {
        *self
    }
}

impl<In, Out, P> Copy for Reduction<In, Out, P> {}

/// Shows the specification.
impl<In, Out, P> fmt::Debug for Reduction<In, Out, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = (self.spec)().map_or_else(|error| error.to_string(), |spec| spec.text);
        f.debug_struct("Reduction").field("spec", &text).finish_non_exhaustive()
    }
}

impl<In, Out: Returned, P: Params> Reduction<In, Out, P> {
    /// Makes the reduction that `spec` specifies. The types are checked at the call; `reduction!` guarantees them.
    pub const fn new(spec: fn() -> Result<Spec, Error>) -> Reduction<In, Out, P> {
        Reduction { spec, types: PhantomData }
    }
}

impl<In, Out: Output, P: Params> Reduction<In, Out, P> {
    /// Reduces slices of equal length on the default device: see [`Device::from_env`]. The bits are the same on every device. Several
    /// inputs are a tuple. With `layout: strided`, [`Strided`](crate::Strided) elements may replace slices.
    ///
    /// The first call in a process compiles the reduction.
    ///
    /// # Errors
    /// See [`Reducer::reduce`] and [`Device::from_env`].
    pub fn reduce<S: Slices<In>>(&self, slices: S) -> Result<Out, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce(slices)
    }

    /// As [`Reduction::reduce`], on a device: `PEAK.reduce_on(&Device::host(), &samples)?`.
    ///
    /// # Errors
    /// See [`Reducer::reduce`].
    pub fn reduce_on<S: Slices<In>>(&self, device: &Device, slices: S) -> Result<Out, Error>
    where
        P: NoParams,
    {
        self.with_device(device).reduce(slices)
    }
}

impl<In, Out: Returned, P: Params> Reduction<In, Out, P> {
    /// Returns the reduction with values for its params: `scaled.with(2.0).reduce(&x)?`, or for several
    /// `INSIDE.with(Bounds { lo: 0.0, hi: 1.0 }).reduce(&x)?`.
    pub fn with(&self, params: P) -> With<'_, Reduction<In, Out, P>> {
        With::new(self, &params)
    }

    /// Returns the reduction with values for its params by name; the others have their defaults:
    /// `inside.with_params(|p| p.lo(0.0).hi(1.0)).reduce(&x)?`.
    pub fn with_params<G: CompleteParams<P>>(
        &self,
        params: impl FnOnce(P::Given) -> G,
    ) -> With<'_, Reduction<In, Out, P>>
    where
        P: NamedParams,
    {
        self.with(params(P::given()).complete())
    }

    /// Returns the reduction for calls on a device: `ROWS.with_device(&Device::host()).reduce_segments(&x, &offsets)?`.
    pub fn with_device(&self, device: &Device) -> With<'_, Reduction<In, Out, P>>
    where
        P: NoParams,
    {
        self.with(P::default()).with_device(device)
    }

    /// Compiles the reduction for a device, to run it there many times.
    ///
    /// # Errors
    /// See [`Reducer::new`].
    pub fn compile(&self, device: &Device) -> Result<Compiled<In, Out, P>, Error> {
        Ok(Compiled { reducer: Arc::new(Reducer::new(&self.spec()?, device)?), types: PhantomData })
    }

    /// Returns the specification.
    ///
    /// # Errors
    /// The specification is wrong for the values of the constants that it names.
    pub fn spec(&self) -> Result<Spec, Error> {
        (self.spec)()
    }

    /// Returns the program. With `passes: auto`, it is the one for the most elements on the oldest architecture. The
    /// program that a device runs for n elements is `compiled.reducer().programs().for_len(n)`.
    ///
    /// # Errors
    /// As [`Reduction::spec`]; or a pass does not apply, which `reduction!` excludes unless constants decide the specification.
    pub fn program(&self) -> Result<Program, Error> {
        Ok(reduce_codegen::compile(&self.spec()?)?)
    }

    /// Returns the CUDA of [`Reduction::program`]. The text is the same for every architecture.
    ///
    /// # Errors
    /// As [`Reduction::program`].
    pub fn cuda(&self) -> Result<String, Error> {
        Ok(reduce_codegen::cuda(&self.program()?)?)
    }

    /// Returns the reduction compiled for a device, and compiles it at the first call in this process.
    fn compiled(&self, device: &Device) -> Result<Compiled<In, Out, P>, Error> {
        Ok(Compiled { reducer: compiled_once::reducer(self.spec, device)?, types: PhantomData })
    }
}

/// A [`Reduction`] compiled for a device. Running it neither lowers nor compiles again.
#[derive(Debug)]
pub struct Compiled<In, Out, P = ()> {
    reducer: Arc<Reducer>,
    types: PhantomData<fn(In, P) -> Out>,
}

impl<In, Out: Output, P: Params> Compiled<In, Out, P> {
    /// Reduces slices, or strided elements, of equal length in host memory. For a GPU, they are copied.
    ///
    /// # Errors
    /// See [`Reducer::reduce`].
    pub fn reduce<S: Slices<In>>(&self, slices: S) -> Result<Out, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce(slices)
    }

    /// Reduces data on the device: slices or views of cudarc at any alignment, or strided elements of them. Several
    /// inputs are a tuple. See [`Reducer::reduce_device`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_device`].
    #[cfg(feature = "cuda")]
    pub fn reduce_device<'a, S: crate::DeviceSlices<'a, In>>(&self, slices: S) -> Result<Out, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_device(slices)
    }

    /// Queues a reduction on the stream of the workspace, made by [`Reducer::workspace`], and returns at once. The
    /// result stays on the device. See [`Reducer::enqueue`].
    ///
    /// # Errors
    /// See [`Reducer::enqueue`].
    #[cfg(feature = "cuda")]
    pub fn enqueue(
        &self,
        stream: &Arc<CudaStream>,
        inputs: &DeviceInputs<'_, In>,
        workspace: &mut Workspace,
    ) -> Result<(), Error>
    where
        P: NoParams,
    {
        self.with(P::default()).enqueue(stream, inputs, workspace)
    }

    /// Queues a reduction on a stream that a CUDA graph captures. See [`Reducer::enqueue_captured`].
    ///
    /// # Safety
    /// See [`Reducer::enqueue_captured`].
    ///
    /// # Errors
    /// See [`Reducer::enqueue_captured`].
    #[cfg(feature = "cuda")]
    pub unsafe fn enqueue_captured(
        &self,
        stream: &Arc<CudaStream>,
        inputs: &DeviceInputs<'_, In>,
        workspace: &mut Workspace,
    ) -> Result<(), Error>
    where
        P: NoParams,
    {
        // SAFETY: the caller promises it.
        unsafe { self.with(P::default()).enqueue_captured(stream, inputs, workspace) }
    }

    /// Makes a workspace for `enqueue` on that stream, for up to n elements. See [`Reducer::workspace`];
    /// [`Reducer::workspace_in`] takes memory of the caller.
    ///
    /// # Errors
    /// See [`Reducer::workspace`].
    #[cfg(feature = "cuda")]
    pub fn workspace(&self, stream: &Arc<CudaStream>, n: u64) -> Result<Workspace, Error> {
        self.reducer.workspace(stream, n)
    }

    /// Waits for a stream and returns the result of the last enqueued call. See [`Workspace::read`].
    ///
    /// # Errors
    /// The workspace was made by another reducer, or an error of [`Workspace::read`].
    #[cfg(feature = "cuda")]
    pub fn read(&self, stream: &Arc<CudaStream>, workspace: &Workspace) -> Result<Out, Error> {
        self.reducer.check_workspace(workspace)?;
        self.output(&workspace.read(stream)?)
    }

    fn run(&self, views: &[Strided<LanesRef<'_>>], params: &[Value]) -> Result<Out, Error> {
        let outcome = self.reducer.reduce_with(views, params)?;
        self.output(&outcome.values)
    }

    fn output(&self, values: &[Value]) -> Result<Out, Error> {
        Out::of(values).ok_or_else(|| Error::OutputType {
            expected: std::any::type_name::<Out>(),
            found: self.reducer.operation().output.text(),
        })
    }
}

impl<In, Out: Returned, P: Params> Compiled<In, Out, P> {
    /// Returns the compiled reduction with values for its params: see [`Reduction::with`].
    pub fn with(&self, params: P) -> With<'_, Compiled<In, Out, P>> {
        With::new(self, &params)
    }

    /// Returns the compiled reduction with values for its params by name: see [`Reduction::with_params`].
    pub fn with_params<G: CompleteParams<P>>(
        &self,
        params: impl FnOnce(P::Given) -> G,
    ) -> With<'_, Compiled<In, Out, P>>
    where
        P: NamedParams,
    {
        self.with(params(P::given()).complete())
    }

    /// Returns the reducer: the compiled reduction without Rust types, with its program and device.
    #[must_use]
    pub fn reducer(&self) -> &Reducer {
        &self.reducer
    }
}
