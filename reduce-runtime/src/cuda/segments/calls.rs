//! Calls that reduce segments on a GPU.

use super::{DeviceSegments, SegmentKernels, Sizes};
use crate::cuda::driver::{self, failed};
use crate::cuda::groups::first_of_view;
use crate::cuda::input::DeviceInput;
use crate::cuda::kernels::bytes;
use crate::device::DeviceKind;
use crate::{Error, Reducer, SegmentsError, View, inputs};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr};
use reduce_codegen::segments::Segmented;
use reduce_ir::axes::{Cut, Nest};
use reduce_ir::func::Param;
use reduce_ir::{Domain, Scalar, Value};
use reduce_lanes::{Lanes, LanesRef};
use std::sync::{Arc, PoisonError};

impl Reducer {
    /// Queues a reduction of segments of device data, on the stream of the first input, and returns at once. The results stay on the
    /// device, and nothing waits for the offsets. Inputs are views of [`DeviceInput`]s of one axis, whose elements lie side by side;
    /// inputs and offsets are read on one stream.
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
        let (kernels, sizes) = self.device_segments(inputs, offsets, params)?;
        let mut segments = kernels.memory(offsets.stream(), sizes)?;
        enqueue(inputs, offsets, params, &mut segments)?;
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
        self.check_segments_into(inputs, offsets, params, into)?;
        driver::refuse_capture(offsets.stream())?;
        enqueue(inputs, offsets, params, into)
    }

    fn check_segments_into(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        offsets: &DeviceInput<'_>,
        params: &[Value],
        into: &DeviceSegments,
    ) -> Result<(), Error> {
        let (kernels, sizes) = self.device_segments(inputs, offsets, params)?;
        let fits = Arc::ptr_eq(&kernels, &into.kernels) && sizes == into.sizes;
        if fits && **offsets.stream() == *into.stream { Ok(()) } else { Err(Error::OtherWorkspace) }
    }

    /// Returns the kernels for offsets of a type, and for at most that many elements; with those that find runs of `keys`, if given.
    /// Compiles them on first use.
    pub(super) fn segment_kernels(
        &self,
        offsets: Scalar,
        elements: u64,
        keys: Option<Scalar>,
    ) -> Result<Arc<SegmentKernels>, Error> {
        let (DeviceKind::Cuda(gpu), Some(spec)) = (self.device().kind(), &self.spec) else {
            return Err(Error::DeviceMemoryOnHost);
        };
        let ty = if offsets.size() == 4 { Scalar::U32 } else { Scalar::U64 };
        let is_narrow = elements <= Segmented::NARROW;
        let mut made = self.segmented.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (ty, is_narrow, keys.is_some());
        if let Some((_, kernels)) = made.iter().find(|(of, _)| *of == name) {
            return Ok(kernels.clone());
        }
        let program = Segmented::of(spec, ty, gpu.architecture().tuning(), elements)?;
        let kernels = match keys {
            None => SegmentKernels::load(program, gpu)?,
            Some(keys) => SegmentKernels::load_with_runs(program, keys, gpu)?,
        };
        let kernels = Arc::new(kernels);
        made.push((name, kernels.clone()));
        Ok(kernels)
    }

    /// Checks a call on device memory, and returns its kernels and its sizes.
    fn device_segments(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        offsets: &DeviceInput<'_>,
        params: &[Value],
    ) -> Result<(Arc<SegmentKernels>, Sizes), Error> {
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
        let nest = self.nest_of(inputs.iter().map(|input| input.on((input.data.ty(), input.data.len()))))?;
        check_line(&nest)?;
        let sizes =
            Sizes { elements: nest.reduced[0].length, segments: (offsets.len() as u64).saturating_sub(1) };
        let kernels = self.segment_kernels(expected, sizes.elements, None)?;
        for (at, input) in inputs.iter().map(|view| view.data).chain([offsets]).enumerate() {
            if !input.is_in(kernels.gpu.context()) {
                return Err(Error::OtherContext { input: at, device: kernels.gpu.name() });
            }
            if **input.stream() != **offsets.stream() {
                return Err(Error::InputOfOtherStream { input: at });
            }
        }
        Ok((kernels, sizes))
    }

    /// Reduces segments of copies of host memory, between ascending offsets that lie in the data.
    pub(crate) fn reduce_cut_copied(
        &self,
        inputs: &[View<LanesRef<'_>>],
        nest: &Nest,
        offsets: &[usize],
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        check_line(nest)?;
        let sizes =
            Sizes { elements: nest.reduced[0].length, segments: (offsets.len() as u64).saturating_sub(1) };
        let ty = if sizes.elements <= Segmented::MOST_OF_U32 { Scalar::U32 } else { Scalar::U64 };
        let kernels = self.segment_kernels(ty, sizes.elements, None)?;
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
        let firsts: Vec<_> = addresses.iter().zip(inputs).zip(&spans).map(first_of_view).collect();
        let mut segments = kernels.memory(&stream, sizes)?;
        let at = cut.device_ptr(&stream).0;
        let launched = segments.launch(&firsts, at, u64::MAX, None, params);
        // Kernels that were queued may still read the copies.
        driver::wait(&stream).map_err(failed("running the kernels"))?;
        launched?;
        segments.read_stored()
    }
}

/// Queues the launches, and reports the reads to cudarc.
fn enqueue(
    inputs: &[View<&DeviceInput<'_>>],
    offsets: &DeviceInput<'_>,
    params: &[Value],
    into: &mut DeviceSegments,
) -> Result<(), Error> {
    let launched = into.launch(&addresses(inputs), offsets.pointer().0, limit(offsets.ty()), None, params);
    let stream = into.stream.clone();
    // Also after a failed launch: earlier launches are queued.
    let all = inputs.iter().map(|input| input.data).chain([offsets]);
    all.map(|input| input.read_on(&stream)).fold(launched, Result::and)
}

/// Returns the address of the first element of each view.
pub(super) fn addresses(inputs: &[View<&DeviceInput<'_>>]) -> Vec<CUdeviceptr> {
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

/// Checks that the elements lie side by side, along one axis.
pub(super) fn check_line(nest: &Nest) -> Result<(), SegmentsError> {
    let is_line =
        nest.kept.iter().all(|dim| dim.length == 1) && nest.reduced[0].steps.iter().all(|&step| step == 1);
    if is_line || nest.reduced[0].length <= 1 { Ok(()) } else { Err(SegmentsError::OnDevice) }
}
