//! The GPU that all contestants use: its stream, its memory, and the loading of kernels.

use super::Outcome;
use reducegen::cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUipcMemHandle};
use reducegen::cudarc::driver::{CudaContext, CudaModule, CudaStream, result};
use reducegen::cudarc::nvrtc::Ptx;
use reducegen::{Device, Nvrtc, Target};
use std::sync::Arc;

/// The first GPU.
pub(crate) struct Gpu {
    pub(crate) context: Arc<CudaContext>,
    /// Not the null stream, which no graph can capture. Like all memory here, it lives as long as the process.
    pub(crate) stream: &'static Arc<CudaStream>,
    pub(crate) device: Device,
}

impl Gpu {
    pub(crate) fn open() -> Outcome<Gpu> {
        // This call comes first because its error names the missing library.
        Device::cuda(0)?;
        let context = CudaContext::new(0)?;
        // SAFETY: there is one stream, and memory lives as long as the process. So no call records events, as in
        // `DeviceInputs::scope`; the calls of the peers record none.
        unsafe { context.disable_event_tracking() };
        let stream = Box::leak(Box::new(context.new_stream()?));
        Ok(Gpu { device: Device::from_context(context.clone())?, stream, context })
    }

    pub(crate) fn attribute(&self, attribute: Attribute) -> Outcome<usize> {
        Ok(self.context.attribute(attribute)?.unsigned_abs() as usize)
    }

    /// Compiles and loads kernels. The driver reads PTX up to a zero byte.
    pub(crate) fn load(&self, source: &str) -> Outcome<Arc<CudaModule>> {
        let nvrtc = Nvrtc::get()?;
        let architecture = self.device.architecture().ok_or("the device is the host")?;
        let target = Target::for_device(architecture, nvrtc.architectures())?;
        let mut bytes = nvrtc.compile(source, target)?.bytes;
        bytes.push(0);
        Ok(self.context.load_module(Ptx::from_binary(bytes))?)
    }

    /// Allocates memory that lives until the process ends. Memory of a pool would not do: other processes cannot open it.
    pub(crate) fn allocate(&self, bytes: usize) -> Outcome<u64> {
        self.context.bind_to_thread()?;
        // SAFETY: nothing frees it, and all uses write before they read.
        Ok(unsafe { result::malloc_sync(bytes) }?)
    }

    /// Returns the handle by which another process opens memory of [`Gpu::allocate`].
    pub(crate) fn handle(&self, memory: u64) -> Outcome<Vec<u8>> {
        self.context.bind_to_thread()?;
        let mut handle = CUipcMemHandle { reserved: [0; 64] };
        // SAFETY: the call writes the handle of memory that is allocated.
        unsafe { sys::cuIpcGetMemHandle(&mut handle, memory) }.result()?;
        Ok(handle.reserved.iter().map(|&byte| byte as u8).collect())
    }

    pub(crate) fn write(&self, to: u64, bytes: &[u8]) -> Outcome<()> {
        self.context.bind_to_thread()?;
        self.stream.synchronize()?;
        // SAFETY: `to` is in memory of `allocate`, where the caller leaves room for the bytes.
        Ok(unsafe { result::memcpy_htod_sync(to, bytes) }?)
    }

    pub(crate) fn copy(&self, from: u64, to: u64, bytes: usize) -> Outcome<()> {
        // SAFETY: as in `write`, for both.
        Ok(unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream.cu_stream()) }?)
    }

    pub(crate) fn read(&self, from: u64, bytes: &mut [u8]) -> Outcome<()> {
        self.context.bind_to_thread()?;
        self.stream.synchronize()?;
        // SAFETY: as in `write`; the stream has finished all writes to this memory.
        Ok(unsafe { result::memcpy_dtoh_sync(bytes, from) }?)
    }
}
