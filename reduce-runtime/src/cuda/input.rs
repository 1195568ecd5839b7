//! Inputs that lie on a device already: slices and views of cudarc.

use super::driver;
use crate::Strided;
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaContext, CudaStream, DevicePtr, SyncOnDrop};
use half::{bf16, f16};
use reduce_dsl::Scalar;
use reduce_dsl::arith::Element;
use std::marker::PhantomData;
use std::sync::Arc;

/// One input on a device, read on one stream. While it lives, cudarc counts the data as being read there; when it is dropped,
/// the stream of the data goes on behind what reads there. So it must not be leaked (`std::mem::forget`): the data could be
/// freed while a call reads it.
#[derive(Debug)]
pub struct DeviceInput<'a> {
    ty: Scalar,
    /// Its elements, in memory of that many.
    elements: Strided<usize>,
    pointer: CUdeviceptr,
    reading: Reading<'a>,
}

/// While it lives, cudarc counts the data as being read. A slice and its views have one event for all who read them, which
/// each of them sets anew, so it is always set on the stream of the data, behind those that read there before.
#[derive(Debug)]
struct Reading<'a> {
    stream: &'a Arc<CudaStream>,
    /// The stream of the data.
    owner: &'a Arc<CudaStream>,
    _noted: SyncOnDrop<'a>,
}

impl<'a> Reading<'a> {
    fn on<T>(stream: &'a Arc<CudaStream>, slice: &'a impl DevicePtr<T>) -> (CUdeviceptr, Reading<'a>) {
        let owner = slice.stream();
        let is_apart = is_apart(stream, owner);
        // cudarc waits for what wrote the data only where the object for their context has several streams.
        if is_apart && !Arc::ptr_eq(stream.context(), owner.context()) {
            follow(stream, owner);
        }
        let (pointer, mut noted) = slice.device_ptr(stream);
        if is_apart {
            std::mem::forget(std::mem::replace(&mut noted, slice.device_ptr(owner).1));
        }
        (pointer, Reading { stream, owner, _noted: noted })
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if is_apart(self.stream, self.owner) {
            follow(self.owner, self.stream);
        }
    }
}

/// Are they two streams, or streams of two objects for one context? Who told cudarc not to track events keeps their order.
fn is_apart(stream: &CudaStream, owner: &CudaStream) -> bool {
    let is_same = stream == owner && Arc::ptr_eq(stream.context(), owner.context());
    owner.context().is_event_tracking() && !is_same
}

/// What is queued later on the one stream is behind what is queued on the other by now.
fn follow(later: &CudaStream, earlier: &CudaStream) {
    if let Err(error) = later.join(earlier) {
        // It may be an error of another call, which cudarc kept: then nothing was queued.
        let waited = driver::wait(earlier);
        later.context().record_err(waited.and(Err::<(), _>(error)));
    }
}

impl<'a> DeviceInput<'a> {
    /// A `CudaSlice<T>` or `CudaView<'_, T>`, read on its own stream, which waits for whatever wrote it.
    pub fn of<T: Element>(slice: &'a impl DevicePtr<T>) -> DeviceInput<'a> {
        DeviceInput::on(slice.stream(), slice)
    }

    /// The same, read on another stream of its device, which waits for whatever wrote it.
    pub fn on<T: Element>(stream: &'a Arc<CudaStream>, slice: &'a impl DevicePtr<T>) -> DeviceInput<'a> {
        let (pointer, reading) = Reading::on(stream, slice);
        let elements = Strided { data: slice.len(), offset: 0, step: 1, len: slice.len() };
        DeviceInput { ty: T::TY, elements, pointer, reading }
    }

    /// Of its memory, `len` elements that lie `step` apart, the first at `offset`.
    pub fn strided(self, offset: usize, step: usize, len: usize) -> DeviceInput<'a> {
        let elements = Strided { data: self.elements.data, offset, step, len };
        DeviceInput { elements, ..self }
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

    /// Are both its stream and its data of that context?
    pub(super) fn is_in(&self, context: &CudaContext) -> bool {
        [self.reading.stream, self.reading.owner].iter().all(|stream| **stream.context() == *context)
    }

    /// Where the first element is, and the distance to the next.
    pub(super) fn pointer(&self) -> (CUdeviceptr, usize) {
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
    /// wrote them; while these inputs live, the slices can only be read. For a graph, make them before the capture
    /// begins. They may be dropped behind it, but the memory and the workspace live until the last replay is done, and what is
    /// written there between replays is written in the order of the stream. They must not be leaked (`std::mem::forget`):
    /// see [`DeviceInput`].
    pub fn on(stream: &'a Arc<CudaStream>, slices: impl DeviceSlices<'a, In>) -> DeviceInputs<'a, In> {
        DeviceInputs { inputs: slices.inputs(Some(stream)), types: PhantomData }
    }

    /// Without their types.
    pub fn as_slice(&self) -> &[DeviceInput<'a>] {
        &self.inputs
    }
}

macro_rules! single {
    ($($ty:ty)*) => {
        $(#[diagnostic::do_not_recommend]
        impl<'a, S: DevicePtr<$ty>> DeviceSlices<'a, $ty> for &'a S {
            fn inputs(self, stream: Option<&'a Arc<CudaStream>>) -> Vec<DeviceInput<'a>> {
                vec![DeviceInput::on(stream.unwrap_or(self.stream()), self)]
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a, S: DevicePtr<$ty>> DeviceSlices<'a, $ty> for Strided<&'a S> {
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
