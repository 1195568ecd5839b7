//! Queues work on a stream: a kernel with its arguments, or a fill of memory with some bytes.

use super::driver::{self, failed};
use super::gpu::Gpu;
use crate::Error;
use cudarc::driver::sys::{
    CUdeviceptr, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig,
    cuLaunchKernelEx, cuMemsetD8Async, cuMemsetD32Async, cuOccupancyMaxPotentialClusterSize,
};
use cudarc::driver::{CudaFunction, CudaStream, DriverError};
use std::ffi::c_void;
use std::ptr::null_mut;

/// The most arguments without an allocation; most kernels have fewer.
const INLINE_ARGUMENTS: usize = 64;

/// The configuration of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The number of blocks.
    pub(super) grid: u32,
    /// Threads per block.
    pub(super) block: u32,
    /// The bytes of shared memory besides those that the kernel declares.
    pub(super) shared: u32,
    /// Whether the kernel may begin while the previous launch still runs. The kernel itself waits for that launch.
    pub(super) dependent: bool,
}

/// Queues a kernel. The context of the stream must be current.
///
/// # Safety
/// - A kernel that is launched as a dependent one waits for the previous launch before it touches memory.
/// - There is an argument for each parameter of the kernel, in the low bytes of a word on a little-endian machine.
/// - The memory that the arguments point to is as the kernel expects it, and lives until the kernel is done.
pub(super) unsafe fn launch(
    stream: &CudaStream,
    function: &CudaFunction,
    shape: Shape,
    arguments: &[u64],
) -> Result<(), DriverError> {
    let (mut inline, mut heap) = ([null_mut(); INLINE_ARGUMENTS], Vec::new());
    let pointers = if arguments.len() <= INLINE_ARGUMENTS {
        &mut inline[..]
    } else {
        heap.resize(arguments.len(), null_mut());
        &mut heap[..]
    };
    for (pointer, argument) in pointers.iter_mut().zip(arguments) {
        *pointer = std::ptr::from_ref(argument).cast_mut().cast::<c_void>();
    }
    let mut dependent = CUlaunchAttribute {
        id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        pad: [0; 4],
        value: CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
    };
    let config = CUlaunchConfig {
        gridDimX: shape.grid,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: shape.block,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: shape.shared,
        hStream: stream.cu_stream(),
        attrs: &raw mut dependent,
        numAttrs: shape.dependent.into(),
    };
    let (function, pointers) = (function.cu_function(), pointers.as_mut_ptr());
    // SAFETY: the driver copies the arguments that the pointers refer to, complete as the caller promises, and the
    // configuration with its attribute; it does not write there.
    unsafe { cuLaunchKernelEx(&raw const config, function, pointers, null_mut()) }.result()
}

/// Returns the most blocks that a cluster of a kernel can have on a GPU, for a wanted cluster of `cluster` blocks.
pub(super) fn largest_cluster(
    gpu: &Gpu,
    function: &CudaFunction,
    cluster: u32,
    block: u32,
) -> Result<u32, Error> {
    let config = CUlaunchConfig {
        gridDimX: cluster,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: block,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: null_mut(),
        attrs: null_mut(),
        numAttrs: 0,
    };
    let mut largest = 0;
    driver::make_current(gpu.context()).map_err(failed("binding its context"))?;
    // SAFETY: it writes a number, and reads the configuration, which has no attributes.
    unsafe { cuOccupancyMaxPotentialClusterSize(&mut largest, function.cu_function(), &raw const config) }
        .result()
        .map_err(failed("asking for the largest cluster"))?;
    Ok(largest.unsigned_abs())
}

/// Queues a fill of memory with a few bytes. Unlike a copy, it needs no host memory that lives until then, so a graph
/// can capture it. The context of the stream must be current.
///
/// # Safety
/// The address is a multiple of 4, `bytes.len()` bytes are allocated there, and they live until the fill is done.
pub(super) unsafe fn fill(stream: &CudaStream, at: CUdeviceptr, bytes: &[u8]) -> Result<(), DriverError> {
    let stream = stream.cu_stream();
    let (words, rest) = bytes.as_chunks::<4>();
    for (word, place) in words.iter().zip((at..).step_by(4)) {
        // SAFETY: the word is one of those that the caller vouches for.
        unsafe { cuMemsetD32Async(place, u32::from_le_bytes(*word), 1, stream) }.result()?;
    }
    for (byte, place) in rest.iter().zip(at + 4 * words.len() as u64..) {
        // SAFETY: the byte is one of those that the caller vouches for.
        unsafe { cuMemsetD8Async(place, *byte, 1, stream) }.result()?;
    }
    Ok(())
}
