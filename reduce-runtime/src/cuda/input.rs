//! Inputs in device memory: slices and views of cudarc.

use super::driver::{self, failed};
use crate::{Error, Strided};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DriverError, SyncOnDrop,
};
use half::{bf16, f16};
use reduce_ir::Scalar;
use reduce_ir::arith::Element;
use std::marker::PhantomData;
use std::sync::Arc;

/// The operation named in errors.
const RECORDING: &str = "recording that an input is read";

/// Memory of cudarc: a `CudaSlice<T>`, a `CudaView<T>` or a `CudaViewMut<T>`.
///
/// Sealed: kernels read at the address that it returns, and safe code can implement [`DevicePtr`] with any address.
///
/// ```compile_fail,E0277
/// use cudarc::driver::{CudaStream, DevicePtr, DeviceSlice, SyncOnDrop, sys::CUdeviceptr};
/// use std::sync::Arc;
///
/// struct Invented(Arc<CudaStream>);
/// impl DeviceSlice<f32> for Invented {
///     fn len(&self) -> usize { 1 << 20 }
///     fn stream(&self) -> &Arc<CudaStream> { &self.0 }
/// }
/// impl DevicePtr<f32> for Invented {
///     fn device_ptr<'a>(&'a self, _: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
///         (0xdead_beef_0000, SyncOnDrop::Record(None))
///     }
/// }
/// fn sum(invented: &Invented) {
///     reduce_runtime::DeviceInput::new::<f32>(invented);
/// }
/// ```
pub trait DeviceMemory<T>: DevicePtr<T> + sealed::Sealed {}

impl<T> DeviceMemory<T> for CudaSlice<T> {}
impl<T> DeviceMemory<T> for CudaView<'_, T> {}
impl<T> DeviceMemory<T> for CudaViewMut<'_, T> {}

mod sealed {
    use super::{CudaSlice, CudaView, CudaViewMut};

    pub trait Sealed {}
    impl<T> Sealed for CudaSlice<T> {}
    impl<T> Sealed for CudaView<'_, T> {}
    impl<T> Sealed for CudaViewMut<'_, T> {}
}

/// One input on a device, read on one stream.
///
/// Each call that reads it reports the read to cudarc before the call returns. From then on, cudarc orders every free
/// and write of the memory after the call, even if this value is leaked.
#[derive(Debug)]
pub struct DeviceInput<'a> {
    ty: Scalar,
    /// Its elements; `data` is the number of elements in the memory.
    elements: Strided<usize>,
    pointer: CUdeviceptr,
    reading: Reading<'a>,
}

/// The stream that reads the memory, and the state by which cudarc learns of the read.
#[derive(Debug)]
struct Reading<'a> {
    stream: &'a Arc<CudaStream>,
    /// The stream of the data, on which cudarc frees it.
    owner: &'a Arc<CudaStream>,
    /// The one event that cudarc keeps for all reads of the memory. `None` if it does not track them.
    last_read: Option<&'a CudaEvent>,
    /// Whether the end of a scope records the reads, instead of each call.
    in_scope: bool,
}

impl<'a> Reading<'a> {
    fn on<T>(stream: &'a Arc<CudaStream>, slice: &'a impl DeviceMemory<T>) -> (CUdeviceptr, Reading<'a>) {
        let owner = slice.stream();
        // cudarc waits for writes only if its object for the context has several streams.
        if needs_ordering(stream, owner) && !Arc::ptr_eq(stream.context(), owner.context()) {
            let ordered = order_after(stream, owner);
            stream.context().record_err(ordered);
        }
        let (pointer, noted) = slice.device_ptr(stream);
        let last_read = match &noted {
            SyncOnDrop::Record(Some((event, _))) => Some(*event),
            SyncOnDrop::Record(None) | SyncOnDrop::Sync(_) => None,
        };
        // Dropping it would record a read that is not queued yet.
        std::mem::forget(noted);
        (pointer, Reading { stream, owner, last_read, in_scope: false })
    }

    /// Orders every free and write of the memory after the reads queued so far.
    fn record(&self) -> Result<(), DriverError> {
        if needs_ordering(self.stream, self.owner) {
            order_after(self.owner, self.stream)?;
        }
        let is_tracked = self.owner.context().is_managing_stream_synchronization();
        let Some(event) = self.last_read.filter(|_| is_tracked) else { return Ok(()) };
        // Recording replaces an earlier read, maybe on a third stream: the owner waits for that read first.
        self.owner.wait(event).and_then(|()| event.record(self.owner))
    }
}

/// Returns whether the streams need explicit ordering: they differ, or belong to two objects for one context. If the
/// user has turned off event tracking in cudarc, the user keeps the order.
fn needs_ordering(stream: &CudaStream, owner: &CudaStream) -> bool {
    let is_same = stream == owner && Arc::ptr_eq(stream.context(), owner.context());
    owner.context().is_event_tracking() && !is_same
}

/// Orders all later work of one stream after all work queued on the other so far.
fn order_after(later: &CudaStream, earlier: &CudaStream) -> Result<(), DriverError> {
    // The error may be a stored one of another call. Then cudarc queued nothing, so wait here.
    later.join(earlier).or_else(|_| driver::wait(earlier))
}

impl<'a> DeviceInput<'a> {
    /// Makes an input of cudarc memory, read on its own stream. The stream waits for the last write.
    pub fn new<T: Element>(slice: &'a impl DeviceMemory<T>) -> DeviceInput<'a> {
        DeviceInput::on_stream(slice.stream(), slice)
    }

    /// Makes an input that is read on another stream of its device. The stream waits for the last write.
    pub fn on_stream<T: Element>(
        stream: &'a Arc<CudaStream>,
        slice: &'a impl DeviceMemory<T>,
    ) -> DeviceInput<'a> {
        DeviceInput::elements(stream, slice, (T::TY, slice.len()))
    }

    /// Makes an input of all scalars of arrays.
    pub(super) fn of_arrays<T: Element, const K: usize>(
        stream: &'a Arc<CudaStream>,
        slice: &'a impl DeviceMemory<[T; K]>,
    ) -> DeviceInput<'a> {
        DeviceInput::elements(stream, slice, (T::TY, slice.len() * K))
    }

    fn elements<T>(
        stream: &'a Arc<CudaStream>,
        slice: &'a impl DeviceMemory<T>,
        (ty, len): (Scalar, usize),
    ) -> DeviceInput<'a> {
        let (pointer, reading) = Reading::on(stream, slice);
        let elements = Strided { data: len, offset: 0, step: 1, len };
        DeviceInput { ty, elements, pointer, reading }
    }

    /// Selects `len` elements of the memory that lie `step` apart, the first at `offset`, as in [`Strided`].
    #[must_use]
    pub fn strided(self, offset: usize, step: isize, len: usize) -> DeviceInput<'a> {
        let elements = Strided { data: self.elements.data, offset, step, len };
        DeviceInput { elements, ..self }
    }

    /// As [`DeviceInputs::scope`], without Rust types.
    ///
    /// # Errors
    /// The driver can neither record the reads nor wait for them.
    pub fn scope<R>(
        inputs: Vec<DeviceInput<'a>>,
        work: impl FnOnce(&[DeviceInput<'a>]) -> R,
    ) -> Result<R, Error> {
        let inputs = DeviceInputs::<()> { inputs, types: PhantomData };
        inputs.scope(|inputs| work(inputs.as_slice()))
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn ty(&self) -> Scalar {
        self.ty
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.len == 0
    }

    /// Returns the type and length of the memory, and the positions of the elements in it.
    pub(crate) fn shape(&self) -> Strided<(Scalar, usize)> {
        self.elements.with_data((self.ty, self.elements.data))
    }

    pub(super) fn stream(&self) -> &'a Arc<CudaStream> {
        self.reading.stream
    }

    /// Reports a read that was queued on a stream to cudarc, unless the end of a scope does so.
    pub(super) fn read_on(&self, stream: &CudaStream) -> Result<(), Error> {
        if *stream != **self.reading.stream {
            order_after(self.reading.stream, stream).map_err(failed(RECORDING))?;
        }
        if self.reading.in_scope { Ok(()) } else { self.record() }
    }

    /// Records the reads, or waits for them if that fails.
    fn record(&self) -> Result<(), Error> {
        let recorded = self.reading.record().or_else(|_| driver::wait(self.reading.stream));
        recorded.map_err(failed(RECORDING))
    }

    /// Returns whether both the stream and the data belong to that context.
    pub(super) fn is_in(&self, context: &CudaContext) -> bool {
        [self.reading.stream, self.reading.owner].iter().all(|stream| **stream.context() == *context)
    }

    /// Returns the address of the first element, and the distance to the next.
    pub(super) fn pointer(&self) -> (CUdeviceptr, isize) {
        let offset = self.elements.offset * self.ty.size();
        (self.pointer + offset as u64, self.elements.step)
    }
}

/// Device slices for the inputs `In`: a reference to a slice or view, [`Strided`] elements of it, or a tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold elements on a device for the inputs `{In}`",
    note = "give a reference to a `CudaSlice` or `CudaView` of exactly that type, or `Strided` elements of one; a tuple of them for several inputs",
    note = "pass data on the host to `reduce`"
)]
pub trait DeviceSlices<'a, In> {
    /// Makes the inputs, read on that stream, or each on its own stream.
    #[doc(hidden)]
    fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>>;
}

/// The inputs `In` on a device, read on one stream, as [`Compiled::enqueue`](crate::Compiled::enqueue) takes them in
/// any number of calls.
#[derive(Debug)]
pub struct DeviceInputs<'a, In> {
    inputs: Vec<DeviceInput<'a>>,
    types: PhantomData<fn(In)>,
}

impl<'a, In> DeviceInputs<'a, In> {
    /// Makes inputs of slices or views of cudarc, or strided elements of them. Several inputs are a tuple.
    ///
    /// The stream waits for the last writes. While these inputs live, the slices can only be read. For a graph, make
    /// the inputs before the capture begins.
    pub fn new(stream: &'a Arc<CudaStream>, slices: impl DeviceSlices<'a, In>) -> DeviceInputs<'a, In> {
        DeviceInputs { inputs: slices.inputs(Some(stream)), types: PhantomData }
    }

    /// Runs `work` and reports the reads of its calls to cudarc at the end.
    ///
    /// Without a scope, each call records an event for each input. That costs the host about a microsecond, and
    /// prevents the next call from starting while this one ends.
    ///
    /// # Errors
    /// The driver can neither record the reads nor wait for them.
    pub fn scope<R>(mut self, work: impl FnOnce(&DeviceInputs<'a, In>) -> R) -> Result<R, Error> {
        self.inputs.iter_mut().for_each(|input| input.reading.in_scope = true);
        let mut scope = Scope { inputs: self };
        let result = work(&scope.inputs);
        scope.end().map(|()| result)
    }

    /// Returns the inputs without their types.
    #[must_use]
    pub fn as_slice(&self) -> &[DeviceInput<'a>] {
        &self.inputs
    }
}

/// Records the reads of its inputs when dropped, also if the work inside panics. No code outside this module owns one,
/// so none is leaked.
struct Scope<'a, In> {
    inputs: DeviceInputs<'a, In>,
}

impl<In> Scope<'_, In> {
    fn end(&mut self) -> Result<(), Error> {
        let inputs = std::mem::take(&mut self.inputs.inputs);
        inputs.iter().map(DeviceInput::record).fold(Ok(()), Result::and)
    }
}

impl<In> Drop for Scope<'_, In> {
    fn drop(&mut self) {
        // Nobody can receive this error: either the context is lost, or `scope` has already returned the error.
        let _ = self.end();
    }
}

macro_rules! single {
    ($($ty:ty)*) => {
        $(#[diagnostic::do_not_recommend]
        impl<'a, S: DeviceMemory<$ty>> DeviceSlices<'a, $ty> for &'a S {
            fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>> {
                vec![DeviceInput::on_stream(stream.unwrap_or(self.stream()), self)]
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a, S: DeviceMemory<$ty>> DeviceSlices<'a, $ty> for Strided<&'a S> {
            fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>> {
                let Strided { data, offset, step, len } = self;
                vec![DeviceInput::on_stream(stream.unwrap_or(data.stream()), data).strided(offset, step, len)]
            }
        }

        /// The elements of arrays are inputs that lie between each other.
        #[diagnostic::do_not_recommend]
        impl<'a, S: DeviceMemory<[$ty; K]>, const K: usize> DeviceSlices<'a, [$ty; K]> for &'a S {
            fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>> {
                let stream = stream.unwrap_or(self.stream());
                let (len, step) = (self.len(), isize::try_from(K).unwrap_or(isize::MAX));
                let first = |at: usize| if len == 0 { 0 } else { at };
                (0..K).map(|at| DeviceInput::of_arrays(stream, self).strided(first(at), step, len)).collect()
            }
        })*
    };
}

single!(f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool);

/// Implements the trait for a tuple of these elements, and for each shorter tuple without its first elements, down to
/// two.
macro_rules! tuples {
    ($element:ident $slice:ident) => {};
    ($first:ident $first_slice:ident, $($element:ident $slice:ident),+) => {
        tuple!($first $first_slice, $($element $slice),+);
        tuples!($($element $slice),+);
    };
}

macro_rules! tuple {
    ($($element:ident $slice:ident),+) => {
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<'a, $($element, $slice: DeviceSlices<'a, $element>),+> DeviceSlices<'a, ($($element,)+)>
            for ($($slice,)+)
        {
            #[allow(non_snake_case, reason = "a slice has the name of its type")]
            fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>> {
                let ($($slice,)+) = self;
                [$($slice.inputs(stream)),+].into_iter().flatten().collect()
            }
        }
    };
}

tuples!(
    A SA, B SB, C SC, D SD, E SE, F SF, G SG, H SH, I SI, J SJ, K SK, L SL, M SM, N SN, O SO, P SP
);
