//! A GPU: its context, its architecture, and its compiler.

use super::ahead;
use super::compile::Compiler;
use super::driver::{self, failed};
use crate::Error;
use crate::architecture::Architecture;
use crate::cache::Cache;
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError};
use std::sync::Arc;
use std::time::Duration;

/// A GPU with its context and its compiler.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    context: Arc<CudaContext>,
    architecture: Architecture,
    compiler: Arc<Compiler>,
}

impl Gpu {
    /// Returns the number of GPUs that the driver shows.
    pub(crate) fn count() -> Result<usize, Error> {
        driver::check()?;
        match CudaContext::device_count() {
            Ok(count @ 1..) => Ok(count.unsigned_abs() as usize),
            Ok(_) | Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => Err(Error::NoDevice),
            Err(error) => Err(failed("starting")(error)),
        }
    }

    /// Opens the GPU with that number.
    pub(crate) fn open(ordinal: usize) -> Result<Gpu, Error> {
        let count = Gpu::count()?;
        if ordinal >= count {
            return Err(Error::NoSuchDevice { ordinal, count });
        }
        Gpu::of(CudaContext::new(ordinal).map_err(failed("opening the device"))?)
    }

    /// Returns the GPU of a context.
    pub(crate) fn of(context: Arc<CudaContext>) -> Result<Gpu, Error> {
        let capability = context.compute_capability().map_err(failed("asking for the architecture"))?;
        let architecture =
            Architecture::from_capability(capability.0.unsigned_abs(), capability.1.unsigned_abs());
        let compiler = Compiler::new(Cache::from_env());
        // Without a compiler for its architecture or kernels, the device is unusable.
        compiler
            .target(architecture)
            .map(|_| ())
            .or_else(|error| ahead::check_device(architecture, error))?;
        Ok(Gpu { context, architecture, compiler: Arc::new(compiler) })
    }

    /// Returns the GPU with another cache.
    pub(crate) fn with_cache(self, cache: Cache) -> Gpu {
        Gpu { compiler: Arc::new(self.compiler.with_cache(cache)), ..self }
    }

    /// Returns the GPU with another deadline for its compiler.
    pub(crate) fn with_deadline(self, deadline: Duration) -> Gpu {
        let compiler = self.compiler.with_cache(self.compiler.cache().clone()).with_deadline(deadline);
        Gpu { compiler: Arc::new(compiler), ..self }
    }

    /// Returns whether both have one context. Their caches may differ.
    pub(crate) fn has_context_of(&self, other: &Gpu) -> bool {
        self.context.cu_ctx() == other.context.cu_ctx()
    }

    pub(crate) fn name(&self) -> String {
        format!("cuda:{}", self.context.ordinal())
    }

    pub(crate) fn description(&self) -> String {
        let name = self.context.name().unwrap_or_else(|_| "unnamed GPU".to_owned());
        let gib = self.context.total_mem().unwrap_or(0) as f64 / f64::from(1 << 30);
        format!("{name}, {}, {gib:.1} GiB", self.architecture)
    }

    pub(crate) fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Allocates uninitialised memory.
    pub(super) fn allocate(&self, stream: &Arc<CudaStream>, bytes: u64) -> Result<CudaSlice<u8>, Error> {
        // No device has that much memory, and drivers may overflow when they round the size up.
        if bytes > i64::MAX as u64 {
            return Err(self.out_of_memory(bytes));
        }
        // SAFETY: the memory is written before it is read, by a copy or by the kernels.
        let memory = unsafe { stream.alloc(bytes as usize) };
        memory.map_err(|error| match error {
            DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => self.out_of_memory(bytes),
            error => failed("allocating memory")(error),
        })
    }

    pub(super) fn out_of_memory(&self, asked: u64) -> Error {
        let free = self.context.mem_get_info().map_or(0, |(free, _)| free as u64);
        Error::OutOfMemory { asked, free }
    }

    pub(super) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    pub(crate) fn compiler(&self) -> &Compiler {
        &self.compiler
    }
}
