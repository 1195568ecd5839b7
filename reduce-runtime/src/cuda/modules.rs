//! Loaded modules: one for each program and context, shared by all reducers that run it.

use super::compile::{Compiler, KernelSource};
use super::driver::failed;
use super::gpu::Gpu;
use crate::Error;
use crate::cache::Key;
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
    let compiler = gpu.compiler();
    module_of(KernelSource::of(program, compiler.target(gpu.architecture())?)?, gpu)
}

/// Returns the module of a program over segments.
pub(super) fn of_segments(program: &Segmented, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    module_of(KernelSource::of_segments(program, gpu.compiler().target(gpu.architecture())?)?, gpu)
}

/// Returns the module of a program that finds runs of keys.
pub(super) fn of_heads(program: &Heads, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    module_of(KernelSource::of_heads(program, gpu.compiler().target(gpu.architecture())?)?, gpu)
}

/// Returns the module of a program over elements with keys.
pub(super) fn of_keys(program: &Keyed, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    module_of(KernelSource::of_keys(program, gpu.compiler().target(gpu.architecture())?)?, gpu)
}

fn module_of(source: KernelSource, gpu: &Gpu) -> Result<Arc<CudaModule>, Error> {
    let compiler = gpu.compiler();
    let key = compiler.key(&source)?;
    let slot = slot((gpu.context().cu_ctx() as usize, key));
    let mut slot = lock(&slot);
    if let Some(module) = slot.upgrade() {
        return Ok(module);
    }
    let module = load(compiler, &source, &key, gpu.context())?;
    *slot = Arc::downgrade(&module);
    Ok(module)
}

/// Loads a module from the cache, or compiles it if the cache has no image that the driver accepts.
fn load(
    compiler: &Compiler,
    source: &KernelSource,
    key: &Key,
    context: &Arc<CudaContext>,
) -> Result<Arc<CudaModule>, Error> {
    let load = |image: Image| context.load_module(Ptx::from_binary(terminated(image.bytes)));
    if let Some(image) = compiler.cached(key, source) {
        match load(image) {
            Err(DriverError(code)) if NO_IMAGE.contains(&code) => compiler.cache().remove(key),
            // Any other error is not the fault of the image.
            loaded => return loaded.map_err(failed("loading the kernels")),
        }
    }
    load(compiler.compile(source)?).map_err(failed("loading the kernels"))
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
