//! Calls that reduce segments on a GPU.

use super::{DeviceSegments, SegmentKernels, Sizes};
use crate::cuda::driver::{self, failed};
use crate::cuda::groups::first_of_view;
use crate::cuda::input::DeviceInput;
use crate::cuda::kernels::bytes;
use crate::device::DeviceKind;
use crate::{Error, Reducer, SegmentsError, View, groups, inputs};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr};
use reduce_codegen::segments::Segmented;
use reduce_ir::axes::{Cut, Nest};
use reduce_ir::func::Param;
use reduce_ir::{Domain, Scalar, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use std::sync::{Arc, PoisonError};

impl Reducer {
    /// Queues a reduction of segments of device data, on the stream of the first input, and returns at once. The results stay on the
    /// device, and nothing waits for the offsets. Inputs are views of [`DeviceInput`]s; inputs and offsets are read on one stream. Elements
    /// may lie a step apart. Kept axes must lie one after the other, as the last axes of a row-major array do.
    ///
    /// Offsets that descend or leave the data are found by the kernels, which read nothing outside: [`DeviceSegments::read`] returns
    /// the error.
    ///
    /// # Errors
    /// As [`Reducer::reduce_segments`], except for errors in offsets; segments have no result if they are empty, and the specification
    /// has no `empty`; inputs are read on different streams, or do not lie in the context of the device.
    pub fn reduce_segments_device(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        offsets: &DeviceInput<'_>,
        params: &[Value],
    ) -> Result<DeviceSegments, Error> {
        let call = self.device_segments(inputs, offsets, params)?;
        let mut segments = call.kernels.memory(offsets.stream(), call.sizes, call.shape.clone())?;
        enqueue(inputs, offsets, &call, &mut segments)?;
        Ok(segments)
    }

    /// As [`Reducer::reduce_segments_device`], into the memory of an earlier call on the same stream, with as many elements and
    /// segments. A call neither allocates nor waits.
    ///
    /// # Errors
    /// As [`Reducer::reduce_segments_device`], or the memory does not fit.
    pub fn reduce_segments_into(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        offsets: &DeviceInput<'_>,
        params: &[Value],
        into: &mut DeviceSegments,
    ) -> Result<(), Error> {
        let call = self.device_segments_into(inputs, offsets, params, into)?;
        driver::refuse_capture(offsets.stream())?;
        enqueue(inputs, offsets, &call, into)
    }

    /// As [`Reducer::reduce_segments_into`], on a stream that a CUDA graph captures. The call runs at each replay of the graph, on the
    /// elements and offsets that are in their memory at that time.
    ///
    /// Make inputs and offsets before the capture begins, and `into` by a call on inputs of the same shape.
    ///
    /// # Safety
    /// As [`Reducer::enqueue_captured`], with the offsets as an input and `into` as the workspace.
    ///
    /// # Errors
    /// As [`Reducer::reduce_segments_into`], except that a captured stream is allowed.
    pub unsafe fn reduce_segments_captured(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        offsets: &DeviceInput<'_>,
        params: &[Value],
        into: &mut DeviceSegments,
    ) -> Result<(), Error> {
        let call = self.device_segments_into(inputs, offsets, params, into)?;
        launch(inputs, offsets, &call, into)
    }

    /// As [`Reducer::device_segments`], and checks that the results fit into the memory of an earlier call.
    fn device_segments_into(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        offsets: &DeviceInput<'_>,
        params: &[Value],
        into: &DeviceSegments,
    ) -> Result<Call, Error> {
        let call = self.device_segments(inputs, offsets, params)?;
        let fits = Arc::ptr_eq(&call.kernels, &into.kernels) && call.sizes == into.sizes;
        if !fits || call.shape != into.shape || **offsets.stream() != *into.stream {
            return Err(Error::OtherWorkspace);
        }
        Ok(call)
    }

    /// Returns the kernels for offsets of a type, and for at most that many elements; with those that find runs of `keys`, if given.
    /// Compiles them on first use.
    pub(super) fn segment_kernels(
        &self,
        offsets: Scalar,
        domain: Domain,
        elements: u64,
        keys: Option<Scalar>,
    ) -> Result<Arc<SegmentKernels>, Error> {
        let (DeviceKind::Cuda(gpu), Some(spec)) = (self.device().kind(), &self.spec) else {
            return Err(Error::DeviceMemoryOnHost);
        };
        let ty = if offsets.size() == 4 { Scalar::U32 } else { Scalar::U64 };
        let is_narrow = elements <= Segmented::NARROW;
        let mut made = self.segmented.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (ty, domain, is_narrow, keys.is_some());
        if let Some((_, kernels)) = made.iter().find(|(of, _)| *of == name) {
            return Ok(kernels.clone());
        }
        let spec = Spec { domain, ..spec.clone() };
        let program = Segmented::of(&spec, ty, gpu.architecture().tuning(), elements)?;
        let kernels = match keys {
            None => SegmentKernels::load(program, gpu)?,
            Some(keys) => SegmentKernels::load_with_runs(program, keys, gpu)?,
        };
        let kernels = Arc::new(kernels);
        made.push((name, kernels.clone()));
        Ok(kernels)
    }

    /// Checks a call on device memory.
    fn device_segments(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        offsets: &DeviceInput<'_>,
        params: &[Value],
    ) -> Result<Call, Error> {
        inputs::check_params(self.operation(), params)?;
        let Some(Cut::Offsets(expected)) = self.axes().map(|axes| axes.cut) else {
            return Err(SegmentsError::None.into());
        };
        if offsets.ty() != expected {
            return Err(SegmentsError::Type { expected, found: offsets.ty() }.into());
        }
        if !self.has_result_of_nothing() {
            return Err(SegmentsError::NeedsEmpty { operator: self.operation().name.clone() }.into());
        }
        for (param, input) in self.operation().inputs.iter().zip(inputs) {
            inputs::check_input(Domain::WHOLE, param, &input.data.shape())?;
        }
        inputs::check_input(Domain::WHOLE, &Param::new("offsets", expected), &offsets.shape())?;
        let nest =
            self.nest_of(inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len()))))?;
        let lie = Lie::of(&nest)?;
        let sizes = lie.sizes(offsets.len());
        groups::check_room(self.operation(), sizes.groups())?;
        let kernels = self.segment_kernels(expected, lie.domain(), sizes.elements, None)?;
        for (at, input) in inputs.iter().map(|view| view.data).chain([offsets]).enumerate() {
            if !input.is_in(kernels.gpu.context()) {
                return Err(Error::OtherContext { input: at, device: kernels.gpu.name() });
            }
            if **input.stream() != **offsets.stream() {
                return Err(Error::InputOfOtherStream { input: at });
            }
        }
        let shape = [&[sizes.segments], &nest.result[..]].concat();
        Ok(Call { kernels, lie, sizes, shape, params: nest.params(self.operation(), params) })
    }

    /// Reduces segments of copies of host memory, between ascending offsets that lie in the data.
    pub(crate) fn reduce_cut_copied(
        &self,
        inputs: &[View<LanesRef<'_>>],
        nest: &Nest,
        offsets: &[usize],
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        let lie = Lie::of(nest)?;
        let sizes = lie.sizes(offsets.len());
        let ty = if lie.rows <= Segmented::MOST_OF_U32 { Scalar::U32 } else { Scalar::U64 };
        let kernels = self.segment_kernels(ty, lie.domain(), sizes.elements, None)?;
        let stream = kernels.gpu.context().default_stream();
        let copy = |bytes: &[u8]| -> Result<CudaSlice<u8>, Error> {
            let mut copy = kernels.gpu.allocate(&stream, bytes.len() as u64)?;
            stream.memcpy_htod(bytes, &mut copy).map_err(failed("copying an input to the device"))?;
            Ok(copy)
        };
        let spans: Vec<_> = inputs.iter().map(|input| input.span().unwrap_or(0..0)).collect();
        let copies =
            inputs.iter().zip(&spans).map(|(input, span)| copy(bytes(input.data.slice(span.clone()))));
        let copies = copies.collect::<Result<Vec<_>, _>>()?;
        let narrow: Vec<_> = offsets.iter().map(|&offset| offset as u32).collect();
        let wide: Vec<_> = offsets.iter().map(|&offset| offset as u64).collect();
        let cut = if ty == Scalar::U32 { bytemuck::cast_slice(&narrow) } else { bytemuck::cast_slice(&wide) };
        let cut: CudaSlice<u8> = copy(cut)?;
        let pointers: Vec<_> = copies.iter().map(|copy| copy.device_ptr(&stream)).collect();
        let addresses: Vec<_> = pointers.iter().map(|(pointer, _)| *pointer).collect();
        let firsts = addresses.iter().zip(inputs).zip(&spans).map(first_of_view);
        let mut segments = kernels.memory(&stream, sizes, Vec::new())?;
        let at = cut.device_ptr(&stream).0;
        let launched = segments.launch(&lie.words(firsts), at, u64::MAX, None, params);
        // Kernels that were queued may still read the copies.
        driver::wait(&stream).map_err(failed("running the kernels"))?;
        launched?;
        segments.read_stored()
    }
}

/// A checked call on device memory.
struct Call {
    kernels: Arc<SegmentKernels>,
    lie: Lie,
    sizes: Sizes,
    shape: Vec<u64>,
    params: Vec<Value>,
}

/// How the elements of segments lie in memory.
pub(super) struct Lie {
    rows: u64,
    columns: u64,
    /// The step between columns and the step between rows, of each input.
    steps: Vec<[i64; 2]>,
}

impl Lie {
    pub(super) fn of(nest: &Nest) -> Result<Lie, SegmentsError> {
        let kept = nest.with_kept_merged().kept;
        let rows = &nest.reduced[0];
        let (columns, between) = match &kept[..] {
            [] => (1, vec![0; rows.steps.len()]),
            [dim] => (dim.length, dim.steps.clone()),
            _ => return Err(SegmentsError::OnDevice),
        };
        let steps = between.into_iter().zip(&rows.steps).map(|(column, &row)| [column, row]).collect();
        Ok(Lie { rows: rows.length, columns, steps })
    }

    /// The domain of the program.
    pub(super) fn domain(&self) -> Domain {
        let is_line = self.columns == 1 && (self.rows <= 1 || self.steps.iter().all(|&[_, row]| row == 1));
        if is_line { Domain::ROWS } else { Segmented::COLUMNS }
    }

    fn sizes(&self, offsets: usize) -> Sizes {
        let segments = (offsets as u64).saturating_sub(1);
        Sizes { elements: self.rows.saturating_mul(self.columns), segments, columns: self.columns }
    }

    /// Returns the arguments of the inputs, whose first elements have these addresses.
    fn words(&self, firsts: impl Iterator<Item = CUdeviceptr>) -> Vec<CUdeviceptr> {
        let steps = if self.domain() == Segmented::COLUMNS { 2 } else { 0 };
        let of_input = |(first, input): (_, &[i64; 2])| {
            std::iter::once(first).chain(input.map(|step| step as u64).into_iter().take(steps))
        };
        firsts.zip(&self.steps).flat_map(of_input).collect()
    }
}

/// Queues the launches, and reports the reads to cudarc.
fn enqueue(
    inputs: &[View<&DeviceInput<'_>>],
    offsets: &DeviceInput<'_>,
    call: &Call,
    into: &mut DeviceSegments,
) -> Result<(), Error> {
    let launched = launch(inputs, offsets, call, into);
    let stream = into.stream.clone();
    // Also after a failed launch: earlier launches are queued.
    let all = inputs.iter().map(|input| input.data).chain([offsets]);
    all.map(|input| input.read_on(&stream)).fold(launched, Result::and)
}

/// Queues the launches.
fn launch(
    inputs: &[View<&DeviceInput<'_>>],
    offsets: &DeviceInput<'_>,
    call: &Call,
    into: &mut DeviceSegments,
) -> Result<(), Error> {
    let words = call.lie.words(addresses(inputs).into_iter());
    into.launch(&words, offsets.pointer().0, limit(offsets.ty()), None, &call.params)
}

/// Returns the address of the first element of each view.
pub(in crate::cuda) fn addresses(inputs: &[View<&DeviceInput<'_>>]) -> Vec<CUdeviceptr> {
    let first = |input: &View<&DeviceInput<'_>>| {
        input.data.pointer().0 + (input.offset * input.data.ty().size()) as u64
    };
    inputs.iter().map(first).collect()
}

/// Returns the greatest offset of a type. Kernels read signed offsets as unsigned ones, so negative ones exceed it.
fn limit(offsets: Scalar) -> u64 {
    let bits = 8 * offsets.size() - usize::from(offsets.is_signed());
    let greatest = u64::MAX >> (64 - bits);
    if offsets.size() == 4 { greatest.min(Segmented::MOST_OF_U32) } else { greatest }
}
