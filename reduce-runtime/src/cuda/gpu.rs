//! A GPU: finds driver and device, and says what is wrong with them.

use super::Nvrtc;
use crate::Error;
use crate::architecture::Architecture;
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, DriverError};
use std::sync::Arc;

/// The oldest driver, as ten times major plus minor of its CUDA: the first that runs what NVRTC 12 makes.
const OLDEST_DRIVER: i32 = 120;

/// A GPU with its context and the compiler for it.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    context: Arc<CudaContext>,
    architecture: Architecture,
    nvrtc: &'static Nvrtc,
}

impl Gpu {
    /// How many GPUs the driver shows.
    pub(crate) fn count() -> Result<usize, Error> {
        check_driver()?;
        match CudaContext::device_count() {
            Ok(count @ 1..) => Ok(count.unsigned_abs() as usize),
            Ok(_) | Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => Err(Error::NoDevice),
            Err(error) => Err(failed("starting")(error)),
        }
    }

    /// The GPU with that number.
    pub(crate) fn open(ordinal: usize) -> Result<Gpu, Error> {
        let count = Gpu::count()?;
        if ordinal >= count {
            return Err(Error::NoSuchDevice { ordinal, count });
        }
        Gpu::of(CudaContext::new(ordinal).map_err(failed("opening the device"))?)
    }

    /// The GPU of a context.
    pub(crate) fn of(context: Arc<CudaContext>) -> Result<Gpu, Error> {
        let capability = context.compute_capability().map_err(failed("asking for the architecture"))?;
        let architecture =
            Architecture::of_capability(capability.0.unsigned_abs(), capability.1.unsigned_abs());
        Ok(Gpu { context, architecture, nvrtc: Nvrtc::get()? })
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

    pub(super) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    pub(super) fn nvrtc(&self) -> &'static Nvrtc {
        self.nvrtc
    }
}

/// What a call to the driver was for, put before the error it gave.
pub(super) fn failed(operation: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| {
        let text = |text: Result<&std::ffi::CStr, DriverError>| {
            text.map_or("unknown".to_owned(), |text| text.to_string_lossy().into_owned())
        };
        let (name, description) = (text(error.error_name()), text(error.error_string()));
        Error::Driver { operation, code: error.0 as u32, name, text: description }
    }
}

/// cudarc panics where the library or one of its functions is missing, so both are asked for first.
fn check_driver() -> Result<(), Error> {
    // SAFETY: loads libcuda and lets go of it again; its initialisers have no preconditions.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoDriver);
    }
    let mut version = 0;
    // SAFETY: writes one number, and may be called before the driver is initialised.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(failed("asking for its version"))?;
    let text = |version: i32| format!("{}.{}", version / 10, version % 10);
    match version / 10 {
        OLDEST_DRIVER.. => Ok(()),
        found => Err(Error::OldDriver { found: text(found), needed: text(OLDEST_DRIVER) }),
    }
}
