//! Repeated copies of data in device memory, so that none of it is in a cache when it is read.

use super::driver::failed;
use super::gpu::Gpu;
use crate::Error;
use cudarc::driver::sys::{CUdevice_attribute, CUdeviceptr};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use std::sync::Arc;

/// The bytes that are read between two visits of the same byte, as a multiple of the L2 cache.
const TIMES_L2: usize = 4;
/// The alignment of allocations, and so of each piece of data.
const ALIGNMENT: usize = 256;

/// Consecutive copies of the same pieces of data.
pub(super) struct ColdBuffers {
    memory: CudaSlice<u8>,
    base: CUdeviceptr,
    /// Bytes per copy.
    stride: usize,
    copies: u64,
    /// The offsets of the pieces in each copy.
    offsets: Vec<u64>,
}

impl ColdBuffers {
    /// Copies the pieces to the device until the copies exceed the cache as required.
    pub(super) fn new(gpu: &Gpu, stream: &Arc<CudaStream>, pieces: &[&[u8]]) -> Result<ColdBuffers, Error> {
        let mut stride = 0;
        let offsets = pieces.iter().map(|piece| {
            let offset = stride;
            stride += piece.len().next_multiple_of(ALIGNMENT);
            offset
        });
        let offsets: Vec<_> = offsets.collect();
        let mut buffers = ColdBuffers::allocate(gpu, stream, stride)?;
        for (piece, &offset) in pieces.iter().zip(&offsets) {
            let mut place = buffers.memory.slice_mut(offset..offset + piece.len());
            stream.memcpy_htod(*piece, &mut place).map_err(failed("copying an input to the device"))?;
        }
        buffers.repeat(stream, stride)?;
        Ok(ColdBuffers { offsets: offsets.into_iter().map(|offset| offset as u64).collect(), ..buffers })
    }

    /// Makes copies of `bytes` bytes each. The memory repeats the pattern.
    pub(super) fn of_pattern(
        gpu: &Gpu,
        stream: &Arc<CudaStream>,
        pattern: &[u8],
        bytes: usize,
    ) -> Result<ColdBuffers, Error> {
        let stride = bytes.checked_next_multiple_of(ALIGNMENT);
        let mut buffers =
            ColdBuffers::allocate(gpu, stream, stride.ok_or_else(|| gpu.out_of_memory(bytes as u64))?)?;
        let some = pattern.len().min(buffers.memory.len());
        let mut place = buffers.memory.slice_mut(0..some);
        stream
            .memcpy_htod(&pattern[..some], &mut place)
            .map_err(failed("copying a pattern to the device"))?;
        buffers.repeat(stream, some)?;
        Ok(buffers)
    }

    fn allocate(gpu: &Gpu, stream: &Arc<CudaStream>, stride: usize) -> Result<ColdBuffers, Error> {
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE;
        let l2 = gpu.context().attribute(attribute).map_err(failed("asking for the size of its cache"))?;
        let copies = (TIMES_L2 * l2.unsigned_abs() as usize).div_ceil(stride).max(1);
        let memory = gpu.allocate(stream, (copies as u64).saturating_mul(stride as u64))?;
        let base = memory.device_ptr(stream).0;
        Ok(ColdBuffers { memory, base, stride, copies: copies as u64, offsets: vec![0] })
    }

    /// Fills the memory by repeating its first bytes.
    fn repeat(&mut self, stream: &Arc<CudaStream>, first: usize) -> Result<(), Error> {
        let mut filled = first;
        while filled < self.memory.len() {
            let more = filled.min(self.memory.len() - filled);
            let (from, mut to) = self.memory.split_at_mut(filled);
            let copied = stream.memcpy_dtod(&from.slice(0..more), &mut to.slice_mut(0..more));
            copied.map_err(failed("copying data on the device"))?;
            filled += more;
        }
        stream.synchronize().map_err(failed("copying data on the device"))
    }

    /// Returns the addresses of the pieces for a call. Each call uses the next copy.
    pub(super) fn pieces(&self, call: u64) -> Vec<CUdeviceptr> {
        let copy = self.base + call % self.copies * self.stride as u64;
        self.offsets.iter().map(|offset| copy + offset).collect()
    }
}
