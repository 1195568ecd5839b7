//! Loaded modules: one for each program and context, shared by all reducers that run it.

use super::ahead;
use super::compile::{Compiler, KernelSource, KernelText};
use super::driver::failed;
use super::gpu::Gpu;
use crate::Error;
use crate::cache::Key;
use crate::event::event;
use crate::image::Image;
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, CudaModule, DriverError};
use cudarc::nvrtc::Ptx;
use reduce_codegen::keys::Keyed;
use reduce_codegen::runs::Heads;
use reduce_codegen::segments::Segmented;
use reduce_ir::program::Program;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// A module while a reducer holds it. The thread that holds the lock may load it; others wait.
type ModuleSlot = Arc<Mutex<Weak<CudaModule>>>;

/// The modules by context handle and source. A context is not destroyed while one of its modules is held. If its handle
/// is reused afterwards, only expired modules remain under it.
static LOADED: LazyLock<Mutex<HashMap<(usize, Key), ModuleSlot>>> = LazyLock::new(Mutex::default);

/// The errors of the driver for an image that it cannot load.
const NO_IMAGE: [CUresult; 4] = [
    CUresult::CUDA_ERROR_INVALID_IMAGE,
    CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
    CUresult::CUDA_ERROR_INVALID_PTX,
    CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
];

/// Returns the module of a program. Loads or compiles it unless this process holds it already.
pub(super) fn module(program: &Program, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    module_of(KernelText::of(program)?, gpu)
}

/// Returns the module of a program over segments.
pub(super) fn of_segments(program: &Segmented, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    module_of(KernelText::of_segments(program)?, gpu)
}

/// Returns the module of a program that finds runs of keys.
pub(super) fn of_heads(program: &Heads, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    module_of(KernelText::of_heads(program)?, gpu)
}

/// Returns the module of a program over elements with keys.
pub(super) fn of_keys(program: &Keyed, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    module_of(KernelText::of_keys(program)?, gpu)
}

fn module_of(text: KernelText, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    if let Some((key, image)) = ahead::installed(&text, gpu.architecture()) {
        event!("kernels were compiled ahead", device = gpu.name(), target = image.target);
        match held(gpu, key, || load_image(image, gpu.context())) {
            // The driver may be older than the NVRTC that compiled the image.
            Err(DriverError(code)) if NO_IMAGE.contains(&code) => {}
            loaded => return loaded.map_err(failed("loading the kernels")),
        }
    }
    compiled(text, gpu).map_err(|error| ahead::missing(gpu.architecture(), error))
}

fn compiled(text: KernelText, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    let compiler = gpu.compiler();
    let source = text.for_target(compiler.target(gpu.architecture())?);
    let key = compiler.key(&source)?;
    held(gpu, key, || load(compiler, &source, &key, gpu.context()))
}

/// Returns the module under a key in this process, and makes it if there is none.
fn held<E>(
    gpu: &Gpu,
    key: Key,
    make: impl FnOnce() -> Result<Arc<CudaModule>, E>,
) -> Result<Arc<CudaModule>, E> {
    let slot = slot((gpu.context().cu_ctx() as usize, key));
    let mut slot = lock(&slot);
    if let Some(module) = slot.upgrade() {
        return Ok(module);
    }
    let module = make()?;
    *slot = Arc::downgrade(&module);
    Ok(module)
}

fn load_image(image: Image, context: &Arc<CudaContext>) -> Result<Arc<CudaModule>, DriverError> {
    context.load_module(Ptx::from_binary(terminated(image.bytes)))
}

/// Loads a module from the cache, or compiles it if the cache has no image that the driver accepts.
fn load(
    compiler: &Compiler,
    source: &KernelSource,
    key: &Key,
    context: &Arc<CudaContext>,
) -> Result<Arc<CudaModule>, Error> {
    if let Some(image) = compiler.cached(key, source) {
        event!("kernels come from the cache", target = image.target, key = key);
        match load_image(image, context) {
            Err(DriverError(code)) if NO_IMAGE.contains(&code) => compiler.cache().remove(key),
            // Any other error is not the fault of the image.
            loaded => return loaded.map_err(failed("loading the kernels")),
        }
    }
    load_image(compiler.compile(source)?, context).map_err(failed("loading the kernels"))
}

fn slot(name: (usize, Key)) -> ModuleSlot {
    let mut loaded = lock(&LOADED);
    if !loaded.contains_key(&name) {
        loaded.retain(|_, slot| Arc::strong_count(slot) > 1 || lock(slot).strong_count() > 0);
    }
    loaded.entry(name).or_default().clone()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Appends a zero: the driver reads PTX up to it. A cubin contains its length.
pub(super) fn terminated(mut image: Vec<u8>) -> Vec<u8> {
    image.push(0);
    image
}
