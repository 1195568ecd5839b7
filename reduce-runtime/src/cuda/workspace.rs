//! The workspace of calls: their device memory, and the arguments of their launches.

use super::driver::{self, failed};
use super::launch::{Shape, fill, launch};
use super::sizes::{ALIGNMENT, RESULT, bytes, flagged, partials};
use super::variants::{Variant, Variants, launches, values};
use crate::Error;
use crate::groups::ensure_nonempty;
use cudarc::driver::sys::{CUdeviceptr, cuMemcpyDtoHAsync_v2};
use cudarc::driver::{CudaSlice, CudaStream, CudaView, DevicePtrMut};
use reduce_ir::arith::Element;
use reduce_ir::program::{Launch, Reads};
use reduce_ir::{Domain, Extent, Value};
use std::sync::Arc;

mod results;

/// The workspace of [`Reducer::enqueue`](crate::Reducer::enqueue): device memory for a maximum number of elements,
/// allocated once or given by the caller, with the result and the arguments of the launches.
///
/// It belongs to one stream, whose order separates calls with it. Concurrent calls need one workspace each. Dropping it
/// does not wait while its reducer exists: the memory is freed in the order of the stream.
#[derive(Debug)]
pub struct Workspace {
    /// Declared before the memory, because fields are dropped in declaration order.
    _current: driver::Current,
    variants: Arc<Variants>,
    stream: Arc<CudaStream>,
    memory: CudaSlice<u8>,
    base: CUdeviceptr,
    /// Bytes of partials with flags.
    flagged: u64,
    /// The number of groups, and the most elements of one.
    most: Extent,
    /// The elements and the lengths of axes that the launches are for. `None` before the first plan.
    planned: Option<(Extent, Vec<u64>)>,
    /// The index of the variant for n elements.
    variant_index: usize,
    launches: Vec<Prepared>,
    has_result: bool,
    /// Whether the result was lent as a view since the last call; other streams may be reading it.
    is_lent: bool,
}

/// A launch with its arguments. Inputs, params and the address of the results change from call to call.
#[derive(Debug)]
struct Prepared {
    kernel: Reads,
    shape: Shape,
    arguments: Vec<u64>,
    /// The place of the address of the results in the arguments.
    results: usize,
}

impl Workspace {
    /// Allocates a workspace for up to `most` elements. All its calls are on that stream.
    pub(super) fn new(
        variants: &Arc<Variants>,
        stream: &Arc<CudaStream>,
        most: Extent,
    ) -> Result<Workspace, Error> {
        variants.check_stream(stream)?;
        driver::refuse_capture(stream)?;
        Workspace::within(variants, variants.gpu.allocate(stream, bytes(variants, most))?, most)
    }

    /// Makes a workspace in memory of the caller, on its stream. A graph that captures the stream sets the tickets at each replay.
    pub(super) fn within(
        variants: &Arc<Variants>,
        memory: CudaSlice<u8>,
        most: Extent,
    ) -> Result<Workspace, Error> {
        let stream = memory.stream().clone();
        variants.check_stream(&stream)?;
        let mut memory = memory;
        let (len, base) = (memory.len() as u64, memory.device_ptr_mut(&stream).0);
        let needed = bytes(variants, most);
        if len < needed || !base.is_multiple_of(ALIGNMENT) {
            return Err(Error::WorkspaceMemory { most: most.length, needed, len, base });
        }
        let flagged = flagged(variants, most);
        let zeros = partials(variants, most.groups) + flagged;
        stream
            .memset_zeros(&mut memory.slice_mut(..zeros as usize))
            .map_err(failed("setting the ticket and flags"))?;
        let _current = driver::Current(stream.context().clone());
        let (variants, planned, variant_index, launches) = (variants.clone(), None, 0, Vec::new());
        let (has_result, is_lent) = (false, false);
        Ok(Workspace {
            _current,
            variants,
            stream,
            memory,
            base,
            flagged,
            most,
            planned,
            variant_index,
            launches,
            has_result,
            is_lent,
        })
    }

    /// Returns the memory, ordered after everything that is queued with it.
    #[must_use]
    pub fn into_memory(mut self) -> CudaSlice<u8> {
        self.written();
        self.memory
    }

    /// Tells cudarc that the memory is written up to here, so that other streams wait for that. The stream waits for
    /// earlier reads on other streams.
    fn written(&mut self) {
        drop(self.memory.device_ptr_mut(&self.stream));
    }

    /// Orders the next call after all reads of the last result on other streams.
    pub(super) fn wait_for_readers(&mut self) {
        if std::mem::take(&mut self.is_lent) {
            self.written();
        }
    }

    /// Returns the most elements that the workspace is for.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most.length
    }

    /// Returns the stream that the workspace belongs to.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Returns the device address of the result: the fields of the operation's output, laid out as in C. The address
    /// never changes. Readers must be ordered after the call by its stream, or by an event.
    ///
    /// If `filter` or `nan: ignore` may leave no element of a reduction without identity, a `u32` follows the fields.
    /// It is 0 if no element was left.
    #[must_use]
    pub fn result_ptr(&self) -> CUdeviceptr {
        self.base + RESULT
    }

    /// Returns the results of the queued work as a view, one for each group, if they are scalars of that type. Streams of
    /// cudarc that read it wait for it, and the next call waits for the stream that read it last. Kernels of a graph:
    /// [`Workspace::result_ptr`].
    ///
    /// # Errors
    /// The result has another type; nothing was enqueued yet; a graph is capturing the stream.
    pub fn result<T: Element>(&mut self) -> Result<CudaView<'_, T>, Error> {
        let variants = self.variants.clone();
        let output = &variants.operation.output;
        if !self.has_result {
            return Err(Error::NothingEnqueued);
        }
        driver::refuse_capture(&self.stream)?;
        self.written();
        self.is_lent = true;
        let groups = self.groups();
        let bytes = self.memory.slice(RESULT as usize..RESULT as usize + groups * output.size());
        let is_of_type = output.is_scalar() && output.fields[0].ty == T::TY;
        let has_no_flags = variants.operation.stored() == *output;
        let plain = is_of_type && (has_no_flags || groups == 1 && !variants.operation.asserts);
        // SAFETY: scalars of that type were, or will be, written there, at their alignment.
        let view = plain.then(|| unsafe { bytes.transmute(groups) }).flatten();
        view.ok_or_else(|| Error::OutputType { expected: std::any::type_name::<T>(), found: output.text() })
    }

    /// Returns the number of groups.
    fn groups(&self) -> usize {
        self.most.groups as usize
    }

    /// Returns whether calls on those elements fit.
    pub(super) fn fits(&self, variants: &Arc<Variants>, extent: Extent) -> bool {
        let Extent { groups, length } = self.most;
        Arc::ptr_eq(&self.variants, variants) && extent.groups == groups && extent.length <= length
    }

    /// Waits for everything that is queued on the workspace's stream and on the given one, and reads the result: one
    /// value for each field of the operation's output.
    ///
    /// The result of a captured call exists once the graph has run, which only the caller knows. Before that, this
    /// returns the previous bytes of the memory.
    ///
    /// # Errors
    /// Nothing was enqueued; no element was left after `filter` or `nan: ignore`; a graph is capturing a stream; the
    /// driver reports an error.
    pub fn read(&self, stream: &Arc<CudaStream>) -> Result<Vec<Value>, Error> {
        if stream.context() != self.stream.context() {
            return Err(Error::StreamOfOtherContext { device: self.variants.gpu.name() });
        }
        if !self.has_result {
            return Err(Error::NothingEnqueued);
        }
        self.result_of(&self.read_bytes(stream)?)
    }

    /// Waits for the stream, and reads the results of all groups.
    pub(super) fn read_bytes(&self, stream: &Arc<CudaStream>) -> Result<Vec<u8>, Error> {
        driver::refuse_capture(stream)?;
        if **stream != *self.stream {
            driver::refuse_capture(&self.stream)?;
            driver::wait(&self.stream).map_err(failed("reading the result"))?;
        }
        let mut bytes = vec![0; self.groups() * self.variants.operation.stored().size()];
        // SAFETY: the stream is waited for before they are used, or dropped.
        let copied = unsafe { self.copy_result(stream, &mut bytes) };
        if let Err(error) = driver::wait(stream) {
            // The copy may still write to the bytes.
            std::mem::forget(bytes);
            return copied.and(Err(failed("reading the result")(error)));
        }
        copied?;
        Ok(bytes)
    }

    /// Queues a copy of the result to `bytes`, on the host.
    ///
    /// # Safety
    /// Nothing uses or moves the bytes until the stream has reached the end of the copy.
    pub(super) unsafe fn copy_result(&self, stream: &CudaStream, bytes: &mut [u8]) -> Result<(), Error> {
        let to = bytes.as_mut_ptr().cast();
        // SAFETY: the result and `bytes` have that length, and the caller keeps `bytes` valid for long enough.
        let copied = unsafe { cuMemcpyDtoHAsync_v2(to, self.result_ptr(), bytes.len(), stream.cu_stream()) };
        copied.result().map_err(failed("reading the result"))
    }

    /// Decodes the result from its bytes.
    pub(super) fn result_of(&self, bytes: &[u8]) -> Result<Vec<Value>, Error> {
        ensure_nonempty(&self.variants.operation, values(&self.variants.operation.stored(), bytes))
    }

    /// Checks that the workspace belongs to these variants.
    pub(super) fn check_variants(&self, variants: &Arc<Variants>) -> Result<(), Error> {
        if Arc::ptr_eq(&self.variants, variants) { Ok(()) } else { Err(Error::OtherWorkspace) }
    }

    /// Checks that the workspace belongs to these variants and that stream, with room for n elements.
    pub(super) fn check(&self, variants: &Arc<Variants>, stream: &CudaStream, n: u64) -> Result<(), Error> {
        self.check_variants(variants)?;
        if *stream != *self.stream {
            return Err(Error::OtherStream);
        }
        if n > self.most.length {
            return Err(Error::SmallWorkspace { n, most: self.most.length });
        }
        Ok(())
    }

    /// Moves the workspace to another stream. The caller must have waited for its last use on the previous stream.
    pub(super) fn move_to(&mut self, stream: &Arc<CudaStream>) {
        self.stream = stream.clone();
    }

    /// Marks the result as absent, including that of the previous call, until the next one is queued.
    pub(super) fn forget_result(&mut self) {
        self.has_result = false;
    }

    /// Prepares launches on n elements, at least one, of inputs that are given by address and step. Allocates only if n
    /// differs from the previous call.
    pub(super) fn prepare(
        &mut self,
        n: u64,
        inputs: impl Iterator<Item = (CUdeviceptr, isize)>,
        params: &[Value],
    ) -> Result<(), Error> {
        let is_strided = self.variants.domain == Domain::STRIDED;
        let words =
            inputs.flat_map(|(pointer, step)| [pointer].into_iter().chain(is_strided.then_some(step as u64)));
        self.prepare_groups(n.into(), &[], words, params, self.result_ptr())
    }

    /// Prepares launches on groups of at least one element, with the given lengths of axes. Each input is given by its address
    /// and its steps. Kernels multiply positions by steps modulo 2^64, so a negative step leads backwards.
    pub(super) fn prepare_groups(
        &mut self,
        extent: Extent,
        sizes: &[u64],
        inputs: impl Iterator<Item = u64>,
        params: &[Value],
        results: CUdeviceptr,
    ) -> Result<(), Error> {
        if self.planned.as_ref().is_none_or(|(known, lengths)| *known != extent || lengths != sizes) {
            self.plan(extent, sizes)?;
        }
        let words = self.launches.first_mut().map(|launch| launch.arguments.iter_mut()).unwrap_or_default();
        words.zip(inputs).for_each(|(word, value)| *word = value);
        for launch in &mut self.launches {
            let words = launch.arguments.iter_mut().rev();
            words.zip(params.iter().rev()).for_each(|(word, value)| *word = value.bits());
            launch.arguments[launch.results] = results;
        }
        Ok(())
    }

    /// Plans the launches for those elements, with room for inputs, params and the address of the results.
    fn plan(&mut self, extent: Extent, sizes: &[u64]) -> Result<(), Error> {
        self.planned = None;
        self.variant_index = self.variants.index_of_n(extent.length);
        let variant = self.variants.variant(self.variant_index)?;
        let launches = launches(&variant.plan, extent)?;
        self.launches = launches.iter().map(|launch| self.prepared(variant, extent, sizes, launch)).collect();
        self.planned = Some((extent, sizes.to_vec()));
        Ok(())
    }

    fn prepared(&self, variant: &Variant, extent: Extent, sizes: &[u64], launch: &Launch) -> Prepared {
        let operation = &self.variants.operation;
        let levels = self.levels(variant);
        let [from, to] = [launch.from, launch.to].map(|region| levels + variant.plan.offset(extent, region));
        let (items, sizes) = match launch.kernel {
            Reads::Inputs => (vec![0; (1 + self.variants.domain.steps()) * operation.inputs.len()], sizes),
            Reads::Partials => (vec![from], [].as_slice()),
        };
        let elements = (variant.takes_count && launch.kernel == Reads::Partials).then_some(extent.length);
        let ticket = variant.has_ticket.then_some(self.base);
        let groups = self.variants.domain.is_grouped().then_some(launch.groups);
        let counts = [launch.items].into_iter().chain(groups).chain(sizes.iter().copied());
        let results = items.len() + 1;
        let rest = [to, 0].into_iter().chain(counts).chain(ticket).chain(elements);
        let params = operation.params.iter().map(|_| 0);
        Prepared {
            kernel: launch.kernel,
            shape: Shape {
                shared: 0,
                grid: launch.grid as u32,
                block: variant.threads[launch.kernel as usize],
                dependent: variant.dependent,
            },
            arguments: items.into_iter().chain(rest).chain(params).collect(),
            results,
        }
    }

    /// Returns the address of the partials of a variant.
    pub(super) fn levels(&self, variant: &Variant) -> u64 {
        let flagged = if variant.plan.has_flags() { 0 } else { self.flagged };
        self.base + partials(&self.variants, self.most.groups) + flagged
    }

    /// Returns the number of prepared launches.
    pub(super) fn launches(&self) -> usize {
        self.launches.len()
    }

    /// Queues all prepared launches. The context must be current.
    pub(super) fn launch_all(&mut self) -> Result<(), Error> {
        self.forget_result();
        let variant = self.variants.variant(self.variant_index)?;
        if let Some(values) = &variant.fill {
            let at = self.levels(variant);
            // SAFETY: an accumulator of that size is there, in memory that is freed in the order of the stream.
            unsafe { fill(&self.stream, at, values) }.map_err(failed("setting the fill"))?;
        }
        (0..self.launches.len()).try_for_each(|index| self.launch(index))?;
        self.has_result = true;
        Ok(())
    }

    /// Queues one of the prepared launches. The context must be current.
    pub(super) fn launch(&self, index: usize) -> Result<(), Error> {
        let Prepared { kernel, shape, arguments, .. } = &self.launches[index];
        let function = &self.variants.variant(self.variant_index)?.functions[*kernel as usize];
        // SAFETY: the arguments are those of the kernels that reduce-codegen prints, of the types that the operation
        // names, on a little-endian machine. They are, in order:
        // - the inputs, with a step for each axis that the domain names, or the partials of `launch.items` items;
        // - the partials and the result, both of the size in the plan;
        // - the number of items, the number of groups if the kernels take it, and the lengths of axes that they take;
        // - a ticket if the kernels take one, and the number of all elements if a kernel over partials takes it;
        // - the params.
        // A dependent kernel waits first (rule 12 of the verifier of lowered kernels). This memory is freed in the order
        // of the stream. Memory of inputs is freed after the reads, which `DeviceInput` records with cudarc before the call
        // returns.
        unsafe { launch(&self.stream, function, *shape, arguments) }.map_err(failed("launching a kernel"))
    }
}
