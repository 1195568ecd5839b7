//! Inputs that lie on a device already: slices and views of cudarc.

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

/// What the driver was asked for, in errors.
const RECORDING: &str = "recording that an input is read";

/// Memory of cudarc: a `CudaSlice<T>`, a `CudaView<T>` or a `CudaViewMut<T>`.
///
/// Sealed: kernels read at the address that it gives, and safe code can implement [`DevicePtr`] with any address.
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
///     reduce_runtime::DeviceInput::of::<f32>(invented);
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
/// Each call that reads it tells cudarc so before it returns. From then on cudarc orders whatever frees or writes the memory after
/// the call, even if this value is leaked.
#[derive(Debug)]
pub struct DeviceInput<'a> {
    ty: Scalar,
    /// Its elements, in memory of that many.
    elements: Strided<usize>,
    pointer: CUdeviceptr,
    reading: Reading<'a>,
}

/// Who reads the memory, and how cudarc learns of it.
#[derive(Debug)]
struct Reading<'a> {
    stream: &'a Arc<CudaStream>,
    /// The stream of the data, on which cudarc frees it.
    owner: &'a Arc<CudaStream>,
    /// The one event that cudarc keeps for all reads of the memory. `None` where it does not track them.
    last_read: Option<&'a CudaEvent>,
    /// Whether whoever made the scope records the reads when it ends, instead of each call.
    in_scope: bool,
}

impl<'a> Reading<'a> {
    fn on<T>(stream: &'a Arc<CudaStream>, slice: &'a impl DeviceMemory<T>) -> (CUdeviceptr, Reading<'a>) {
        let owner = slice.stream();
        // cudarc waits for writes only where the object for their context has several streams.
        if is_apart(stream, owner) && !Arc::ptr_eq(stream.context(), owner.context()) {
            let followed = follow(stream, owner);
            stream.context().record_err(followed);
        }
        let (pointer, noted) = slice.device_ptr(stream);
        let last_read = match &noted {
            SyncOnDrop::Record(Some((event, _))) => Some(*event),
            SyncOnDrop::Record(None) | SyncOnDrop::Sync(_) => None,
        };
        // Dropping it would record a read that has not been queued.
        std::mem::forget(noted);
        (pointer, Reading { stream, owner, last_read, in_scope: false })
    }

    /// Orders everything that frees or writes the memory after the reads queued so far.
    fn record(&self) -> Result<(), DriverError> {
        if is_apart(self.stream, self.owner) {
            follow(self.owner, self.stream)?;
        }
        let is_tracked = self.owner.context().is_managing_stream_synchronization();
        let Some(event) = self.last_read.filter(|_| is_tracked) else { return Ok(()) };
        // Recording replaces an earlier read, maybe on a third stream: the owner takes that over first.
        self.owner.wait(event).and_then(|()| event.record(self.owner))
    }
}

/// Are they two streams, or streams of two objects for one context? Who told cudarc not to track events keeps their order.
fn is_apart(stream: &CudaStream, owner: &CudaStream) -> bool {
    let is_same = stream == owner && Arc::ptr_eq(stream.context(), owner.context());
    owner.context().is_event_tracking() && !is_same
}

/// Orders whatever is queued later on the one stream after everything queued on the other by now.
fn follow(later: &CudaStream, earlier: &CudaStream) -> Result<(), DriverError> {
    // It may be an error of another call, which cudarc kept: then nothing was queued.
    later.join(earlier).or_else(|_| driver::wait(earlier))
}

impl<'a> DeviceInput<'a> {
    /// A `CudaSlice<T>` or `CudaView<'_, T>`, read on its own stream, which waits for whatever wrote it.
    pub fn of<T: Element>(slice: &'a impl DeviceMemory<T>) -> DeviceInput<'a> {
        DeviceInput::on(slice.stream(), slice)
    }

    /// The same, read on another stream of its device, which waits for whatever wrote it.
    pub fn on<T: Element>(stream: &'a Arc<CudaStream>, slice: &'a impl DeviceMemory<T>) -> DeviceInput<'a> {
        let (pointer, reading) = Reading::on(stream, slice);
        let elements = Strided { data: slice.len(), offset: 0, step: 1, len: slice.len() };
        DeviceInput { ty: T::TY, elements, pointer, reading }
    }

    /// Of its memory, `len` elements that lie `step` apart, the first at `offset`, as [`Strided`] has them.
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

    /// The type of its elements.
    pub fn ty(&self) -> Scalar {
        self.ty
    }

    /// The number of its elements.
    pub fn len(&self) -> usize {
        self.elements.len
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.elements.len == 0
    }

    /// The type and length of its memory, and where in it the elements are.
    pub(crate) fn shape(&self) -> Strided<(Scalar, usize)> {
        self.elements.of((self.ty, self.elements.data))
    }

    pub(super) fn stream(&self) -> &'a Arc<CudaStream> {
        self.reading.stream
    }

    /// Tells cudarc of a read that was queued on a stream, unless the end of a scope does.
    pub(super) fn read_on(&self, stream: &CudaStream) -> Result<(), Error> {
        if *stream != **self.reading.stream {
            follow(self.reading.stream, stream).map_err(failed(RECORDING))?;
        }
        if self.reading.in_scope { Ok(()) } else { self.record() }
    }

    /// Failing that, waits until the reads are done.
    fn record(&self) -> Result<(), Error> {
        let recorded = self.reading.record().or_else(|_| driver::wait(self.reading.stream));
        recorded.map_err(failed(RECORDING))
    }

    /// Are both its stream and its data of that context?
    pub(super) fn is_in(&self, context: &CudaContext) -> bool {
        [self.reading.stream, self.reading.owner].iter().all(|stream| **stream.context() == *context)
    }

    /// Where the first element is, and the distance to the next.
    pub(super) fn pointer(&self) -> (CUdeviceptr, isize) {
        let offset = self.elements.offset * self.ty.size();
        (self.pointer + offset as u64, self.elements.step)
    }
}

/// Device slices for the inputs `In`: a reference to a slice or view, [`Strided`] elements of it, or a tuple of
/// these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold elements on a device for the inputs `{In}`",
    note = "give a reference to a `CudaSlice` or `CudaView` of exactly that type, or `Strided` elements of one; a tuple of them for several inputs",
    note = "what lies on the host goes to `reduce`"
)]
pub trait DeviceSlices<'a, In> {
    /// Each of them, read on that stream, or on its own.
    #[doc(hidden)]
    fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>>;
}

/// The inputs `In` on a device, read on one stream: what [`Compiled::enqueue`](crate::Compiled::enqueue) takes, as
/// often as it is called.
#[derive(Debug)]
pub struct DeviceInputs<'a, In> {
    inputs: Vec<DeviceInput<'a>>,
    types: PhantomData<fn(In)>,
}

impl<'a, In> DeviceInputs<'a, In> {
    /// Slices or views of cudarc, or strided elements of them, a tuple for several inputs. The stream waits for whatever
    /// wrote them; while these inputs live, the slices can only be read. For a graph, make them before the capture begins.
    pub fn on(stream: &'a Arc<CudaStream>, slices: impl DeviceSlices<'a, In>) -> DeviceInputs<'a, In> {
        DeviceInputs { inputs: slices.inputs(Some(stream)), types: PhantomData }
    }

    /// Runs `work`, whose calls leave it to the end of the scope to tell cudarc that they read the inputs.
    ///
    /// Otherwise each call records an event for each input, which costs the host about a microsecond, and keeps the next call from
    /// beginning while this one ends.
    ///
    /// # Errors
    /// The driver can neither record the reads nor wait for them.
    pub fn scope<R>(mut self, work: impl FnOnce(&DeviceInputs<'a, In>) -> R) -> Result<R, Error> {
        self.inputs.iter_mut().for_each(|input| input.reading.in_scope = true);
        let mut scope = Scope { inputs: self };
        let result = work(&scope.inputs);
        scope.end().map(|()| result)
    }

    /// Without their types.
    pub fn as_slice(&self) -> &[DeviceInput<'a>] {
        &self.inputs
    }
}

/// Records the reads of its inputs when it ends, also where the work inside panics. Nothing outside this module owns one, so none
/// is leaked.
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
        // There is nobody to tell of an error: the context is lost, or it was told at the end.
        let _ = self.end();
    }
}

macro_rules! single {
    ($($ty:ty)*) => {
        $(#[diagnostic::do_not_recommend]
        impl<'a, S: DeviceMemory<$ty>> DeviceSlices<'a, $ty> for &'a S {
            fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>> {
                vec![DeviceInput::on(stream.unwrap_or(self.stream()), self)]
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a, S: DeviceMemory<$ty>> DeviceSlices<'a, $ty> for Strided<&'a S> {
            fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>> {
                let Strided { data, offset, step, len } = self;
                vec![DeviceInput::on(stream.unwrap_or(data.stream()), data).strided(offset, step, len)]
            }
        })*
    };
}

single!(f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool);

/// A tuple of references to slices of these elements, and one of all but the first, down to two.
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
