//! The GPU that all measure on: its stream, its compiler, and memory that evicts its cache.

use super::Outcome;
use super::read::Read;
use reducegen::codegen::Tuning;
use reducegen::cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUipcMemHandle};
use reducegen::cudarc::driver::{CudaContext, CudaModule, CudaStream, result};
use reducegen::cudarc::nvrtc::Ptx;
use reducegen::dsl::program::Program;
use reducegen::{Architecture, Device, Image, Nvrtc, Target};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes that are read between samples, in sizes of the cache.
const TIMES_L2: usize = 4;

/// The first GPU.
pub(crate) struct Gpu {
    pub(crate) context: Arc<CudaContext>,
    /// Not the null stream, which no graph can capture.
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) device: Device,
    pub(crate) nvrtc: &'static Nvrtc,
    /// By their source.
    modules: RefCell<HashMap<String, Arc<CudaModule>>>,
}

impl Gpu {
    pub(crate) fn open() -> Outcome<Gpu> {
        let device = Device::cuda(0)?;
        let context = CudaContext::new(0)?;
        let stream = context.new_stream()?;
        Ok(Gpu { context, stream, device, nvrtc: Nvrtc::get()?, modules: RefCell::default() })
    }

    pub(crate) fn attribute(&self, attribute: Attribute) -> Outcome<usize> {
        Ok(self.context.attribute(attribute)?.unsigned_abs() as usize)
    }

    pub(crate) fn l2(&self) -> Outcome<usize> {
        self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
    }

    fn architecture(&self) -> Outcome<Architecture> {
        let (major, minor) = self.context.compute_capability()?;
        Ok(Architecture::of_capability(major.unsigned_abs(), minor.unsigned_abs()))
    }

    pub(crate) fn tuning(&self) -> Outcome<Tuning> {
        Ok(Tuning::of(self.architecture()?.number()))
    }

    fn target(&self) -> Outcome<Target> {
        Ok(Target::for_device(self.architecture()?, self.nvrtc.architectures())?)
    }

    pub(crate) fn load(&self, source: &str) -> Outcome<Arc<CudaModule>> {
        self.cached(source, |target| Ok(self.nvrtc.compile(source, target)?))
    }

    pub(crate) fn load_program(&self, program: &Program) -> Outcome<Arc<CudaModule>> {
        let source = reducegen::codegen::cuda(program)?;
        self.cached(&source, |target| Ok(self.nvrtc.compile_program(program, target)?))
    }

    fn cached(
        &self,
        source: &str,
        compile: impl FnOnce(Target) -> Outcome<Image>,
    ) -> Outcome<Arc<CudaModule>> {
        if let Some(module) = self.modules.borrow().get(source) {
            return Ok(module.clone());
        }
        let module = self.load_image(compile(self.target()?)?)?;
        self.modules.borrow_mut().insert(source.to_owned(), module.clone());
        Ok(module)
    }

    /// The driver reads PTX up to a zero.
    fn load_image(&self, image: Image) -> Outcome<Arc<CudaModule>> {
        let mut bytes = image.bytes;
        bytes.push(0);
        Ok(self.context.load_module(Ptx::from_binary(bytes))?)
    }

    /// Memory that lives until the process ends; not from a pool, which other processes cannot open.
    pub(crate) fn allocate(&self, bytes: usize) -> Outcome<u64> {
        self.context.bind_to_thread()?;
        // SAFETY: nobody frees it, and all write before they read.
        Ok(unsafe { result::malloc_sync(bytes) }?)
    }

    /// By which another process opens memory of [`Gpu::allocate`].
    pub(crate) fn handle(&self, memory: u64) -> Outcome<Vec<u8>> {
        self.context.bind_to_thread()?;
        let mut handle = CUipcMemHandle { reserved: [0; 64] };
        // SAFETY: writes the handle of memory that is allocated.
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
        // SAFETY: as in `write`; the stream has finished what writes there.
        Ok(unsafe { result::memcpy_dtoh_sync(bytes, from) }?)
    }
}

/// Memory that is read so that nothing else is left in the cache.
pub(crate) struct Flush {
    read: Read,
}

impl Flush {
    pub(crate) fn new(gpu: &Gpu) -> Outcome<Flush> {
        let bytes = TIMES_L2 * gpu.l2()?;
        Ok(Flush { read: Read::of_one(gpu, gpu.allocate(bytes)?, bytes)? })
    }

    /// Enqueues it so many times.
    pub(crate) fn enqueue(&self, times: usize) -> Outcome<()> {
        (0..times).try_for_each(|_| self.read.enqueue_at(0))
    }
}
