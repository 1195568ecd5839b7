//! Reduces groups on a GPU.

use super::driver::{self, failed};
use super::input::DeviceInput;
use super::kernels::{Kernels, bytes};
use super::sizes::bytes as workspace_bytes;
use super::variants::Variants;
use super::workspace::Workspace;
use crate::stream::fill::bytes_of;
use crate::{Error, Groups, Reducer, View, inputs};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr};
use reduce_ir::axes::Nest;
use reduce_ir::func::Param;
use reduce_ir::operation::{Operation, Record};
use reduce_ir::{Domain, Value};
use reduce_lanes::{Lanes, LanesRef};
use std::ops::Range;
use std::sync::Arc;

impl Kernels {
    /// Reduces each group of a merged nest, of copies of host memory. There is at least one group, with at least one element.
    /// Returns one vector for each field of the stored output.
    pub(crate) fn reduce_groups(
        &self,
        inputs: &[View<LanesRef<'_>>],
        nest: &Nest,
        params: &[Value],
    ) -> Result<Vec<Lanes>, Error> {
        let stream = self.stream();
        let spans: Vec<_> = inputs.iter().map(|input| input.span().unwrap_or(0..0)).collect();
        let copies = inputs
            .iter()
            .zip(&spans)
            .map(|(input, span)| self.copy(&stream, bytes(input.data.slice(span.clone()))));
        let copies = copies.collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = copies.iter().map(|copy| copy.device_ptr(&stream)).collect();
        let addresses: Vec<_> = pointers.iter().map(|(pointer, _)| *pointer).collect();
        let firsts = addresses.iter().zip(inputs).zip(&spans).map(first_of_view);
        let extent = nest.extent();
        self.prepare(extent.length)?;
        let mut workspace = Workspace::new(&self.variants, &stream, extent)?;
        let at = workspace.result_ptr();
        workspace.prepare_groups(extent, &sizes(nest), words(nest, firsts), params, at)?;
        stream.context().bind_to_thread().map_err(failed("binding its context"))?;
        let stored = self.variants.operation.stored();
        let mut results = vec![0; extent.groups as usize * stored.size()];
        // SAFETY: the stream is waited for before the bytes are used, or dropped.
        let launched =
            workspace.launch_all().and_then(|()| unsafe { workspace.copy_result(&stream, &mut results) });
        if let Err(error) = driver::wait(&stream) {
            // Kernels may still write to the workspace, and the copy to the results.
            std::mem::forget((workspace, results));
            return launched.and(Err(failed("running the kernels")(error)));
        }
        launched?;
        Ok(fields(&stored, &results))
    }
}

/// The results of groups, in device memory: see [`Reducer::reduce_groups_device`].
#[derive(Debug)]
pub struct DeviceGroups {
    shape: Vec<u64>,
    workspace: Workspace,
    variants: Arc<Variants>,
}

impl DeviceGroups {
    /// Returns the length of each axis of the result.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    pub(super) fn operation(&self) -> &Operation {
        &self.variants.operation
    }

    /// Returns the workspace that holds the results, in row-major order: see [`Workspace::result`] and
    /// [`Workspace::result_ptr`].
    pub fn workspace(&mut self) -> &mut Workspace {
        &mut self.workspace
    }

    /// Returns the memory, ordered after everything that is queued with it.
    pub fn into_memory(self) -> CudaSlice<u8> {
        self.workspace.into_memory()
    }

    /// Waits for the results and reads them.
    ///
    /// # Errors
    /// A graph is capturing the stream; the driver reports an error.
    pub fn read(&self) -> Result<Groups, Error> {
        let operation = &self.variants.operation;
        let bytes = self.workspace.read_bytes(self.workspace.stream())?;
        Groups::new(operation, self.shape.clone(), fields(&operation.stored(), &bytes))
    }
}

impl Reducer {
    /// Queues a reduction of views of device data, on the stream of the first input, and returns at once. The results stay on the
    /// device. Inputs are views of [`DeviceInput`]s, all read on one stream: offsets and steps count from the first element of the
    /// `DeviceInput`.
    ///
    /// # Errors
    /// As [`Reducer::reduce_groups`]; groups have no elements, and the operation has neither `identity` nor `empty`; inputs are read
    /// on different streams, or do not lie in the context of the device.
    pub fn reduce_groups_device(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        params: &[Value],
    ) -> Result<DeviceGroups, Error> {
        let (kernels, nest) = self.device_call(inputs, params)?;
        let stream = inputs[0].data.stream();
        if nest.extent().elements() > 0 {
            kernels.prepare(nest.extent().length)?;
        }
        let workspace = Workspace::new(&kernels.variants, stream, nest.extent())?;
        let variants = kernels.variants.clone();
        let mut groups = DeviceGroups { shape: nest.result.clone(), workspace, variants };
        kernels.enqueue_groups(inputs, &nest, params, &mut groups.workspace)?;
        Ok(groups)
    }

    /// Makes memory for results, in an allocation of the caller: `allocate` gets the number of bytes, and returns as many on the stream of
    /// the inputs, at a multiple of 256. Their contents do not matter. It also compiles the kernels, and queues nothing but the setting
    /// of a few bytes. [`DeviceGroups::into_memory`] returns the allocation.
    ///
    /// # Errors
    /// As [`Reducer::reduce_groups_device`]; `allocate` fails, or the memory does not fit. The allocation is dropped then.
    pub fn groups_in(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        params: &[Value],
        allocate: impl FnOnce(u64) -> Result<CudaSlice<u8>, Error>,
    ) -> Result<DeviceGroups, Error> {
        let (kernels, nest) = self.device_call(inputs, params)?;
        kernels.variants.check_stream(inputs[0].data.stream())?;
        if nest.extent().elements() > 0 {
            kernels.prepare(nest.extent().length)?;
        }
        let memory = allocate(workspace_bytes(&kernels.variants, nest.extent()))?;
        let workspace = Workspace::within(&kernels.variants, memory, nest.extent())?;
        let variants = kernels.variants.clone();
        Ok(DeviceGroups { shape: nest.result, workspace, variants })
    }

    /// As [`Reducer::reduce_groups_device`], into the memory of an earlier call on the same stream, with groups of the same kind
    /// and number. A call neither allocates nor waits.
    ///
    /// # Errors
    /// As [`Reducer::reduce_groups_device`], or the memory does not fit.
    pub fn reduce_groups_into(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        params: &[Value],
        into: &mut DeviceGroups,
    ) -> Result<(), Error> {
        let (kernels, nest) = self.device_call_into(inputs, params, into)?;
        kernels.enqueue_groups(inputs, &nest, params, &mut into.workspace)
    }

    /// As [`Reducer::reduce_groups_into`], on a stream that a CUDA graph captures. The call runs at each replay of the graph, on
    /// the elements that are in the input memory at that time.
    ///
    /// Make inputs before the capture begins, and `into` by a call on inputs of the same shape.
    ///
    /// # Safety
    /// As [`Reducer::enqueue_captured`], with `into` as the workspace.
    ///
    /// # Errors
    /// As [`Reducer::reduce_groups_into`], except that a captured stream is allowed; or there are no elements.
    pub unsafe fn reduce_groups_captured(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        params: &[Value],
        into: &mut DeviceGroups,
    ) -> Result<(), Error> {
        let (kernels, nest) = self.captured_call(inputs, params, into)?;
        let at = into.workspace.result_ptr();
        kernels.launch_groups(inputs, &nest, params, &mut into.workspace, at)
    }

    /// As [`Reducer::reduce_groups_captured`], with results in memory of the caller: `place` gets the length of each axis of the result,
    /// and returns the address of that memory. `into` has no results afterwards; its workspace serves any number of calls on its stream.
    ///
    /// # Safety
    /// As [`Reducer::reduce_groups_captured`]; the memory at that address has room for the results, laid out as at
    /// [`Workspace::result_ptr`], and lives until the call is done.
    ///
    /// # Errors
    /// As [`Reducer::reduce_groups_captured`]; `place` fails. Nothing is queued then.
    pub unsafe fn reduce_groups_at(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        params: &[Value],
        into: &mut DeviceGroups,
        place: impl FnOnce(&[u64]) -> Result<CUdeviceptr, Error>,
    ) -> Result<(), Error> {
        let (kernels, nest) = self.captured_call(inputs, params, into)?;
        let at = place(&into.shape)?;
        let launched = kernels.launch_groups(inputs, &nest, params, &mut into.workspace, at);
        into.workspace.forget_result();
        launched
    }

    /// As [`Reducer::device_call_into`]. Also checks the streams of the inputs, and that there are elements, as a captured graph needs.
    fn captured_call(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        params: &[Value],
        into: &mut DeviceGroups,
    ) -> Result<(Arc<Kernels>, Nest), Error> {
        let (kernels, nest) = self.device_call_into(inputs, params, into)?;
        kernels.check_groups(inputs, &into.workspace)?;
        if nest.extent().elements() == 0 {
            return Err(Error::Empty { operator: self.operation().name.clone() });
        }
        Ok((kernels, nest))
    }

    /// As [`Reducer::device_call`], and checks that the results fit into the memory of an earlier call.
    fn device_call_into(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        params: &[Value],
        into: &mut DeviceGroups,
    ) -> Result<(Arc<Kernels>, Nest), Error> {
        let (kernels, nest) = self.device_call(inputs, params)?;
        if !into.workspace.fits(&kernels.variants, nest.extent()) {
            return Err(Error::OtherWorkspace);
        }
        into.shape.clone_from(&nest.result);
        Ok((kernels, nest))
    }

    /// Checks a call on device memory, and returns its kernels and its merged loops.
    fn device_call(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        params: &[Value],
    ) -> Result<(Arc<Kernels>, Nest), Error> {
        inputs::check_params(self.operation(), params)?;
        for (param, input) in self.operation().inputs.iter().zip(inputs) {
            inputs::check_input(Domain::WHOLE, param, &input.data.shape())?;
        }
        let shapes = inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len())));
        let nest = self.nest(shapes)?.of(self.operation());
        self.within(nest.extent().length)?;
        Ok((self.kernels_of(nest.domain())?, nest))
    }
}

impl Kernels {
    /// Queues a reduction of groups, outside of a capture.
    fn enqueue_groups(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        nest: &Nest,
        params: &[Value],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        self.check_groups(inputs, workspace)?;
        let stream = workspace.stream().clone();
        driver::refuse_capture(&stream)?;
        workspace.wait_for_readers();
        let at = workspace.result_ptr();
        let launched = self.launch_groups(inputs, nest, params, workspace, at);
        // Also after a failed launch: earlier launches are queued.
        inputs.iter().map(|input| input.data.read_on(&stream)).fold(launched, Result::and)
    }

    /// Checks that the inputs belong to these kernels, and are read on the stream of the workspace.
    fn check_groups(&self, inputs: &[View<&DeviceInput<'_>>], workspace: &Workspace) -> Result<(), Error> {
        for (input, index) in inputs.iter().zip(0..) {
            self.check(input.data, index)?;
            if **input.data.stream() != **workspace.stream() {
                return Err(Error::InputOfOtherStream { input: index });
            }
        }
        Ok(())
    }

    /// Queues the launches, which write the results to that address. Results of no elements lie in the workspace.
    fn launch_groups(
        &self,
        inputs: &[View<&DeviceInput<'_>>],
        nest: &Nest,
        params: &[Value],
        workspace: &mut Workspace,
        results: CUdeviceptr,
    ) -> Result<(), Error> {
        let context = workspace.stream().context();
        context.bind_to_thread().map_err(failed("binding its context"))?;
        if nest.extent().elements() == 0 {
            return workspace.write_empty_groups(params);
        }
        let firsts = inputs.iter().map(|input| {
            let (first, _) = input.data.pointer();
            first + (input.offset * input.data.ty().size()) as u64
        });
        let params = nest.params(&self.variants.operation, params);
        workspace.prepare_groups(nest.extent(), &sizes(nest), words(nest, firsts), &params, results)?;
        workspace.launch_all()
    }
}

/// Returns the address of the first element of a view in a copy of its span.
pub(super) fn first_of_view(
    ((copy, input), span): ((&CUdeviceptr, &View<LanesRef<'_>>), &Range<usize>),
) -> CUdeviceptr {
    copy + ((input.offset - span.start) * input.data.ty().size()) as u64
}

/// Returns the lengths of axes that kernels take.
pub(super) fn sizes(nest: &Nest) -> Vec<u64> {
    let lengths: Vec<_> = nest.kept.iter().chain(&nest.reduced).map(|dim| dim.length).collect();
    nest.domain().sizes().map(|axis| lengths[axis]).collect()
}

/// Returns the words by which kernels take inputs: for each its address, and the steps that the domain names.
pub(super) fn words(nest: &Nest, firsts: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    let count = nest.domain().steps();
    firsts.enumerate().flat_map(move |(input, first)| {
        [first].into_iter().chain(nest.steps(input).take(count).map(|step| step as u64))
    })
}

/// Decodes records, one vector for each field.
pub(super) fn fields(record: &Record, bytes: &[u8]) -> Vec<Lanes> {
    let count = bytes.len() / record.size();
    let field = |(offset, field): (usize, &Param)| {
        let mut lanes = Lanes::empty(field.ty);
        lanes.resize(count);
        column(&mut lanes, bytes, record.size(), offset);
        lanes
    };
    record.offsets().into_iter().zip(&record.fields).map(field).collect()
}

/// Copies the field at `offset` of each record of `size` bytes.
fn column(lanes: &mut Lanes, bytes: &[u8], size: usize, offset: usize) {
    let width = lanes.ty().size();
    if let Lanes::Bool(flags) = lanes {
        let records = bytes.chunks_exact(size);
        flags.iter_mut().zip(records).for_each(|(flag, record)| *flag = record[offset] != 0);
    } else if let Some(to) = bytes_of(lanes) {
        if size == width {
            to.copy_from_slice(bytes);
            return;
        }
        for (to, record) in to.chunks_exact_mut(width).zip(bytes.chunks_exact(size)) {
            to.copy_from_slice(&record[offset..offset + width]);
        }
    }
}
