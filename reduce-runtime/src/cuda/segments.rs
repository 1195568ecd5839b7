//! Reduces segments on a GPU.

mod calls;
mod runs;

pub(super) use calls::addresses;
pub use runs::DeviceRuns;

use super::driver::{self, failed};
use super::faults::{self, NO_FAULT};
use super::gpu::Gpu;
use super::launch::{Shape, fill, launch};
use super::modules;
use super::sizes::ALIGNMENT;
use crate::{Error, Groups, SegmentsError};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtrMut};
use reduce_codegen::segments::Segmented;
use reduce_ir::Value;
use reduce_ir::operation::Operation;
use reduce_lanes::Lanes;
use std::sync::Arc;

/// The most segments and tiles of a launch (CUDA C++ Programming Guide, technical specifications: x-dimension of a grid).
const MOST: u64 = i32::MAX as u64;

/// The loaded kernels of a program over segments.
#[derive(Debug)]
pub(crate) struct SegmentKernels {
    gpu: Gpu,
    program: Segmented,
    functions: Vec<CudaFunction>,
    /// The kernels that find runs of keys, if these are the segments.
    heads: Vec<CudaFunction>,
    dependent: bool,
}

/// The numbers of a call. A segment of one column is a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    /// Those of all columns.
    elements: u64,
    segments: u64,
    columns: u64,
}

impl Sizes {
    fn groups(self) -> u64 {
        self.segments.saturating_mul(self.columns)
    }
}

/// Where each part of the memory of a call begins, in bytes. The fault word comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    results: u64,
    tiles: u64,
    marks: u64,
    partials: u64,
    bytes: u64,
}

/// The results of segments, in device memory: see [`Reducer::reduce_segments_device`](crate::Reducer::reduce_segments_device).
#[derive(Debug)]
pub struct DeviceSegments {
    /// Declared before the memory, because fields are dropped in declaration order.
    _current: driver::Current,
    kernels: Arc<SegmentKernels>,
    stream: Arc<CudaStream>,
    memory: CudaSlice<u8>,
    base: CUdeviceptr,
    sizes: Sizes,
    /// The lengths of the axes of the result.
    shape: Vec<u64>,
    layout: Layout,
}

impl SegmentKernels {
    /// Compiles and loads the kernels of a program.
    pub(crate) fn load(program: Segmented, gpu: &Gpu) -> Result<SegmentKernels, Error> {
        let module = modules::of_segments(&program, gpu)?;
        let function = |name: &str| module.load_function(name).map_err(failed("looking up a kernel"));
        let functions = Segmented::KERNELS.into_iter().map(function).collect::<Result<_, _>>()?;
        let dependent = driver::overlaps_launches() && program.dependent;
        Ok(SegmentKernels { gpu: gpu.clone(), program, functions, heads: Vec::new(), dependent })
    }

    fn layout(&self, sizes: Sizes) -> Layout {
        let aligned = |bytes: u64| bytes.next_multiple_of(ALIGNMENT);
        let stored = self.program.operation.stored().size() as u64;
        let tiles = self.program.tiles(sizes.elements, sizes.groups());
        let results = ALIGNMENT;
        let at_tiles = results + aligned(sizes.groups() * stored);
        let marks = at_tiles + aligned(8 * (tiles + 1));
        let partials = marks + aligned(8 * tiles);
        let acc = self.program.operation.acc.size() as u64;
        let bytes = partials + aligned(acc * self.program.partials(sizes.elements));
        Layout { results, tiles: at_tiles, marks, partials, bytes }
    }

    /// Allocates the memory of calls on a stream.
    fn memory(
        self: &Arc<Self>,
        stream: &Arc<CudaStream>,
        sizes: Sizes,
        shape: Vec<u64>,
    ) -> Result<DeviceSegments, Error> {
        let (tiles, most) = (self.program.tiles(sizes.elements, sizes.groups()), MOST - 1);
        if sizes.groups() > most || tiles > most {
            return Err(SegmentsError::TooMany { segments: sizes.groups(), most }.into());
        }
        let layout = self.layout(sizes);
        let mut memory = self.gpu.allocate(stream, layout.bytes)?;
        let base = memory.device_ptr_mut(stream).0;
        // SAFETY: the memory has at least 8 bytes there, and lives until the stream has reached its end.
        unsafe { fill(stream, base, &NO_FAULT) }.map_err(failed("setting the fault"))?;
        let _current = driver::Current(stream.context().clone());
        let (kernels, stream) = (self.clone(), stream.clone());
        Ok(DeviceSegments { _current, kernels, stream, memory, base, sizes, shape, layout })
    }
}

/// Waits until no kernel runs before the kernels are unloaded: the caller may not have waited.
impl Drop for SegmentKernels {
    fn drop(&mut self) {
        let context = self.gpu.context();
        context.record_err(driver::wait_for_all(context));
    }
}

impl DeviceSegments {
    /// Returns the number of results: one for each segment, or for each column of each segment.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.groups() as usize
    }

    /// Returns whether there are no results.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.groups() == 0
    }

    /// Returns the length of each axis of the result, the segments first.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the stream that the calls are queued on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Returns the device address of the results, one after the other: the fields of the operation's output, laid out as in C. The
    /// address never changes. Readers must be ordered after the call by its stream, or by an event.
    #[must_use]
    pub fn result_ptr(&self) -> CUdeviceptr {
        self.base + self.layout.results
    }

    pub(super) fn operation(&self) -> &Operation {
        &self.kernels.program.operation
    }

    /// Waits for the results and reads them.
    ///
    /// # Errors
    /// The offsets of a segment descended or left the data, at this call or an earlier one; a graph is capturing the stream; the driver
    /// reports an error.
    pub fn read(&mut self) -> Result<Groups, Error> {
        let stored = self.read_stored()?;
        Groups::new(&self.kernels.program.operation, self.shape.clone(), stored)
    }

    /// Waits for the results and reads them: one vector for each field of the stored output.
    fn read_stored(&mut self) -> Result<Vec<Lanes>, Error> {
        let stored = self.kernels.program.operation.stored();
        let results = (self.layout.results, self.len());
        let read = faults::read(&self.stream, &mut self.memory, &stored, results)?;
        read.map_err(|group| SegmentsError::Wrong { segment: group / self.sizes.columns.max(1) }.into())
    }

    /// Queues the launches. `inputs` holds the address of the first element of each input, and the steps that the domain of the program
    /// names. `offsets` is the address of the first offset.
    /// `number` is the address of the number of segments, if the device has counted them.
    fn launch(
        &mut self,
        inputs: &[CUdeviceptr],
        offsets: CUdeviceptr,
        limit: u64,
        number: Option<CUdeviceptr>,
        params: &[Value],
    ) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        let Sizes { elements, columns, .. } = self.sizes;
        let groups = self.sizes.groups();
        let Layout { results, tiles, marks, partials, .. } = self.layout;
        let base = self.base;
        let [results, at_tiles, marks, partials] = [results, tiles, marks, partials].map(|at| base + at);
        let elements = (elements / columns).min(limit) * columns;
        // The kernels read the number of segments, or get it.
        let counts = number.map_or([elements, groups], |number| [number, elements]);
        let columns = &[columns][..usize::from(self.kernels.program.has_columns())];
        let counts = [&counts[..], columns].concat();
        let params: Vec<_> = params.iter().map(|param| param.bits()).collect();
        let search = [&[offsets, at_tiles], &counts[..]].concat();
        let main =
            [inputs, &[partials, results, offsets, at_tiles, marks], &counts, &[base], &params].concat();
        let combine = [&[partials, results, offsets, marks], &counts[..], &params].concat();
        self.stream.context().bind_to_thread().map_err(failed("binding its context"))?;
        let grids = self.kernels.program.grids(elements, groups);
        let program = &self.kernels.program;
        let launches = 2 + usize::from(elements > program.longest_tile());
        for ((function, grid), arguments) in
            self.kernels.functions.iter().zip(grids).zip([search, main, combine]).take(launches)
        {
            let shape = Shape {
                grid: grid as u32,
                block: Segmented::BLOCK,
                shared: 0,
                dependent: self.kernels.dependent,
            };
            // SAFETY: the arguments are those of the kernel. The memory they point to is allocated, and freed in the order of the
            // stream; whoever gives inputs and offsets keeps them as long.
            unsafe { launch(&self.stream, function, shape, &arguments) }
                .map_err(failed("launching a kernel"))?;
        }
        Ok(())
    }
}
