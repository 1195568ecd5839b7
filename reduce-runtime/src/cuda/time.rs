//! Times a program on a GPU, and a kernel that only reads, for comparison.

use super::cold_buffers::ColdBuffers;
use super::driver::failed;
use super::gpu::Gpu;
use super::gpu_timer::GpuTimer;
use super::groups::{first_of_view, sizes, words};
use super::kernels::{Kernels, bytes, first_element, spanned_bytes};
use super::modules::terminated;
use super::nvrtc::Nvrtc;
use super::workspace::Workspace;
use crate::{Error, Strided, Timing, View};
use cudarc::driver::sys::{CUdevice_attribute, CUdeviceptr};
use cudarc::driver::{CudaFunction, CudaStream, DevicePtr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use reduce_ir::Value;
use reduce_ir::axes::Nest;
use reduce_lanes::LanesRef;
use std::sync::Arc;
use std::time::Duration;

/// The source of a kernel that reads memory.
const READ_ALL: &str = include_str!("read_all.cu");
/// Threads per block of that kernel, bytes per load, and loads that each thread has in flight.
const BLOCK: u32 = 512;
const UNIT: u64 = 16;
const LOADS: u64 = 8;
/// The grids that are tried, in blocks per multiprocessor, in addition to the grid that covers the data at once.
const BLOCKS_PER_PROCESSOR: [u64; 3] = [2, 4, 8];
/// The bytes of the data pattern, which is repeated.
const PATTERN: u64 = 1 << 20;

impl Kernels {
    /// Times the plan on a copy of host memory, of at least one element.
    pub(crate) fn time(&self, inputs: &[Strided<LanesRef<'_>>], params: &[Value]) -> Result<Timing, Error> {
        let stream = &self.stream();
        let timer = GpuTimer::new(stream)?;
        let pieces: Vec<_> = inputs.iter().map(spanned_bytes).collect();
        let buffers = ColdBuffers::new(self.gpu(), stream, &pieces)?;
        let n = inputs[0].len as u64;
        let mut workspace = self.workspace(stream, n)?;
        let prepare = |workspace: &mut Workspace, turn| {
            let pieces = buffers.pieces(turn).into_iter().zip(inputs);
            let first_elements = pieces.map(|(piece, input)| first_element(piece, input));
            workspace.prepare(n, first_elements, params)
        };
        timed(&timer, &mut workspace, prepare)
    }

    /// Times the plan on a copy of views in host memory, for a merged nest of at least one group with at least one element.
    pub(crate) fn time_groups(
        &self,
        inputs: &[View<LanesRef<'_>>],
        nest: &Nest,
        params: &[Value],
    ) -> Result<Timing, Error> {
        let stream = &self.stream();
        let timer = GpuTimer::new(stream)?;
        let spans: Vec<_> = inputs.iter().map(|input| input.span().unwrap_or(0..0)).collect();
        let pieces = inputs.iter().zip(&spans).map(|(input, span)| bytes(input.data.slice(span.clone())));
        let buffers = ColdBuffers::new(self.gpu(), stream, &pieces.collect::<Vec<_>>())?;
        self.prepare(nest.extent().length)?;
        let mut workspace = Workspace::new(&self.variants, stream, nest.extent())?;
        let at = workspace.result_ptr();
        timed(&timer, &mut workspace, |workspace, turn| {
            let copies = buffers.pieces(turn);
            let firsts = copies.iter().zip(inputs).zip(&spans).map(first_of_view);
            workspace.prepare_groups(nest.extent(), &sizes(nest), words(nest, firsts), params, at)
        })
    }
}

/// Times all launches of a plan together, and each alone.
fn timed(
    timer: &GpuTimer,
    workspace: &mut Workspace,
    prepare: impl Fn(&mut Workspace, u64) -> Result<(), Error>,
) -> Result<Timing, Error> {
    let plan = timer.median(|turn| {
        prepare(workspace, turn)?;
        workspace.launch_all()
    })?;
    let alone = |workspace: &mut Workspace, index| {
        timer.median(|turn| {
            prepare(workspace, turn)?;
            workspace.launch(index)
        })
    };
    let launches = match workspace.launches() {
        1 => vec![plan],
        count => (0..count).map(|index| alone(workspace, index)).collect::<Result<_, _>>()?,
    };
    Ok(Timing { launches, plan })
}

impl Gpu {
    /// Returns the least time in which this GPU reads `bytes` bytes, at least one.
    pub(crate) fn time_read(&self, bytes: u64) -> Result<Duration, Error> {
        let stream = self.context().default_stream();
        let timer = GpuTimer::new(&stream)?;
        let pattern: Vec<_> = (0..PATTERN / 4).flat_map(|i| scrambled(i as u32).to_le_bytes()).collect();
        let buffers = ColdBuffers::of_pattern(self, &stream, &pattern, bytes as usize)?;
        let read_all = self.read_all()?;
        let word = self.allocate(&stream, 4)?;
        let sink = word.device_ptr(&stream).0;
        let times = self.grids(bytes)?.into_iter().map(|grid| {
            timer.median(|turn| {
                let x = buffers.pieces(turn)[0];
                launch_read(&stream, &read_all, grid, [x, bytes.div_ceil(UNIT), sink])
            })
        });
        let times = times.collect::<Result<Vec<_>, _>>()?;
        Ok(times.into_iter().min().unwrap_or_default())
    }

    fn read_all(&self) -> Result<CudaFunction, Error> {
        let target = self.compiler().target(self.architecture())?;
        let image = Nvrtc::get()?.compile(READ_ALL, target)?;
        let module = self.context().load_module(Ptx::from_binary(terminated(image.bytes)));
        let function = module.and_then(|module| module.load_function("read_all"));
        function.map_err(failed("loading the kernel that reads"))
    }

    /// Returns the grids that are tried for `bytes` bytes.
    fn grids(&self, bytes: u64) -> Result<Vec<u32>, Error> {
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let processors = self.context().attribute(attribute);
        let processors = u64::from(processors.map_err(failed("counting multiprocessors"))?.unsigned_abs());
        let cover = bytes.div_ceil(u64::from(BLOCK) * LOADS * UNIT);
        let fewer = BLOCKS_PER_PROCESSOR.map(|blocks| blocks * processors).into_iter();
        let grids = fewer.filter(|&grid| grid < cover).chain([cover]);
        Ok(grids.filter_map(|grid| u32::try_from(grid).ok()).collect())
    }
}

fn launch_read(
    stream: &Arc<CudaStream>,
    read_all: &CudaFunction,
    grid: u32,
    [x, units, sink]: [CUdeviceptr; 3],
) -> Result<(), Error> {
    let config = LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
    let mut builder = stream.launch_builder(read_all);
    builder.arg(&x).arg(&units).arg(&sink);
    // SAFETY: the arguments are those of `read_all.cu`: units of 16 bytes in a copy, whose length is a
    // multiple of 256 bytes, and a word for the result. The caller waits for the stream before it frees them.
    unsafe { builder.launch(config) }.map(|_| ()).map_err(failed("launching the kernel that reads"))
}

/// Returns a number with scrambled bits, because memory of zeros may be faster to read.
fn scrambled(i: u32) -> u32 {
    let z = (i ^ (i >> 15)).wrapping_mul(0x2c1b_3c6d).wrapping_add(0x9e37_79b9);
    (z ^ (z >> 12)).wrapping_mul(0x297a_2d39)
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, LOADS, READ_ALL, UNIT};

    /// Compares the constants of both languages. `tests/nvrtc.rs` compiles the kernel.
    #[test]
    fn the_kernel_that_reads_says_the_same_numbers() {
        for (name, number) in [("THREADS", u64::from(BLOCK)), ("LOADS", LOADS)] {
            assert!(READ_ALL.contains(&format!("#define {name} {number}\n")));
        }
        assert_eq!(UNIT, 16);
    }
}
