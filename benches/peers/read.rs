//! A kernel that reads the same number of bytes and computes nothing: no reduction of them is faster.

use super::Outcome;
use super::clock::Launch;
use super::gpu::Gpu;
use super::slots::Slots;
use reducegen::cudarc::driver::sys::CUdevice_attribute as Attribute;
use reducegen::cudarc::driver::{CudaFunction, CudaStream, LaunchConfig, PushKernelArg};
use std::sync::Arc;

/// The kernel of `Device::time_read`.
const READ_ALL: &str = include_str!("../../reduce-runtime/src/cuda/read_all.cu");
/// Its threads, and the bytes that a block reads at a time.
const BLOCK: u32 = 512;
const TILE: usize = 512 * 8 * UNIT;
const UNIT: usize = 16;
/// Bytes that are read between samples, in multiples of the L2 cache.
const TIMES_L2: usize = 4;
/// Grids to try, in blocks per multiprocessor, in addition to the grid that covers the data at once.
const BLOCKS_PER_PROCESSOR: [usize; 3] = [2, 4, 8];

/// The loaded kernel.
pub(crate) struct Reader {
    function: CudaFunction,
    processors: usize,
    sink: u64,
}

impl Reader {
    pub(crate) fn new(gpu: &Gpu) -> Outcome<Reader> {
        let function = gpu.load(READ_ALL)?.load_function("read_all")?;
        let processors = gpu.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Ok(Reader { function, processors, sink: gpu.allocate(UNIT)? })
    }

    /// Returns the read of `bytes` bytes in each of the slots, on every grid that may be the fastest.
    pub(crate) fn on_every_grid(&self, gpu: &Gpu, slots: &Slots, bytes: usize) -> Vec<Read> {
        let grids = grids(bytes, self.processors).into_iter();
        grids.map(|grid| self.on_grid(gpu, slots, bytes, grid)).collect()
    }

    fn on_grid(&self, gpu: &Gpu, slots: &Slots, bytes: usize, grid: usize) -> Read {
        Read {
            stream: gpu.stream,
            function: self.function.clone(),
            slots: slots.clone(),
            units: (bytes / UNIT) as u64,
            sink: self.sink,
            grid: grid as u32,
        }
    }
}

/// The kernel, its memory and its grid.
pub(crate) struct Read {
    stream: &'static Arc<CudaStream>,
    function: CudaFunction,
    slots: Slots,
    units: u64,
    sink: u64,
    grid: u32,
}

impl Read {
    pub(crate) fn enqueue_at(&self, turn: u64) -> Outcome<()> {
        let x = self.slots.pointer(turn, 0);
        let config =
            LaunchConfig { grid_dim: (self.grid, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        let mut builder = self.stream.launch_builder(&self.function);
        builder.arg(&x).arg(&self.units).arg(&self.sink);
        // SAFETY: the arguments match `read_all.cu`; the memory lives as long as the process.
        unsafe { builder.launch(config) }?;
        Ok(())
    }
}

/// Memory that is read to evict everything else from the cache.
pub(crate) struct Flush {
    read: Read,
}

impl Flush {
    pub(crate) fn new(gpu: &Gpu, reader: &Reader) -> Outcome<Flush> {
        let bytes = TIMES_L2 * gpu.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?;
        let slots = Slots::one(gpu.allocate(bytes)?);
        Ok(Flush { read: reader.on_grid(gpu, &slots, bytes, bytes.div_ceil(TILE)) })
    }

    /// Enqueues the read `times` times.
    pub(crate) fn enqueue(&self, times: usize) -> Outcome<()> {
        (0..times).try_for_each(|_| self.read.enqueue_at(0))
    }
}

impl Launch for Read {
    fn enqueue(&mut self, turn: u64) -> Outcome<()> {
        self.enqueue_at(turn)
    }

    fn numbers(&mut self) -> Outcome<Vec<f64>> {
        Ok(Vec::new())
    }
}

/// Returns the grids to try for `bytes` bytes. The grid that covers them is the last.
fn grids(bytes: usize, processors: usize) -> Vec<usize> {
    let cover = bytes.div_ceil(TILE).max(1);
    let fewer = BLOCKS_PER_PROCESSOR.into_iter().map(|blocks| blocks * processors);
    fewer.filter(|&grid| grid < cover).chain([cover]).collect()
}
