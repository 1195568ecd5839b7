//! The CUDA driver: checks that this crate can call it, and names its errors.

use super::library;
use crate::Error;
use cudarc::driver::{CudaContext, CudaStream, DriverError, result, sys};
use libloading::Library;
use std::ffi::CStr;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The oldest driver, as 1000 major + 10 minor of its CUDA: the first that runs images of NVRTC 12.
const OLDEST: i32 = 12_000;

/// The file names of the driver. If cudarc loads the driver, it tries the same two, in reverse order.
#[cfg(not(windows))]
const NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];
#[cfg(windows)]
const NAMES: [&str; 2] = ["nvcuda.dll", "cuda.dll"];

/// The functions that this crate or cudarc calls. cudarc panics at a call of a missing one.
const FUNCTIONS: [&str; 37] = [
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernelEx",
    "cuMemAllocAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuOccupancyMaxPotentialClusterSize",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamIsCapturing",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// The functions that only timing needs. Older drivers lack some of them.
const TIMING_FUNCTIONS: [&str; 4] = [ELAPSED, "cuEventSynchronize", "cuLaunchKernel", "cuMemcpyDtoDAsync_v2"];

/// The function by which cudarc measures the time between two events. It depends on the CUDA version of its build.
const ELAPSED: &str =
    if sys::CUDA_VERSION >= 13_000 { "cuEventElapsedTime_v2" } else { "cuEventElapsedTime" };

/// Checks that cudarc can call the driver.
pub(super) fn check() -> Result<(), Error> {
    check_functions(&FUNCTIONS)?;
    let text = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
    match version()? {
        OLDEST.. => Ok(()),
        found => Err(Error::OldDriver { found: text(found), needed: text(OLDEST) }),
    }
}

/// Returns whether launches can overlap, also in captured graphs. Programmatic graph edges exist from CUDA 12.3 on
/// (CUDA C++ Programming Guide, programmatic dependent launch).
pub(super) fn overlaps_launches() -> bool {
    version().is_ok_and(|version| version >= 12030)
}

/// Returns the newest CUDA that the driver supports, as in 12030.
fn version() -> Result<i32, Error> {
    let mut version = 0;
    // SAFETY: writes one number, and may be called before the driver is initialised.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(failed("asking for its version"))?;
    Ok(version)
}

/// Checks that cudarc can measure times, with a driver that passed [`check`].
pub(super) fn check_timing() -> Result<(), Error> {
    check_functions(&TIMING_FUNCTIONS)
}

fn check_functions(functions: &[&'static str]) -> Result<(), Error> {
    let library = library()?;
    match functions.iter().find(|function| !has(library, function)) {
        Some(function) => Err(Error::IncompleteDriver { function }),
        None => Ok(()),
    }
}

/// Loads libcuda, which then stays loaded. cudarc loads its own only if none of its features links to the driver.
fn library() -> Result<&'static Library, Error> {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    if let Some(library) = LIBRARY.get() {
        return Ok(library);
    }
    let found = NAMES.iter().rev().find_map(|name| library::load(Path::new(name)).ok());
    let missing =
        || library::load_failure(NAMES).map_or(Error::NoDriver, |reason| Error::DriverUnusable { reason });
    let found = found.ok_or_else(missing)?;
    Ok(LIBRARY.get_or_init(|| found))
}

/// Returns whether the library has that function.
fn has(library: &Library, function: &str) -> bool {
    // SAFETY: the symbol is not called through this type.
    unsafe { library.get::<*const ()>(function).is_ok() }
}

/// Waits for a stream. Unlike cudarc's own function, it also waits if cudarc has stored an error of another call.
pub(super) fn wait(stream: &CudaStream) -> Result<(), DriverError> {
    make_current(stream.context())?;
    // SAFETY: the stream lives.
    unsafe { result::stream::synchronize(stream.cu_stream()) }
}

/// Refuses a stream that a graph captures: the queued work would run again when the caller's memory may be freed.
pub(super) fn refuse_capture(stream: &CudaStream) -> Result<(), Error> {
    let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    make_current(stream.context()).map_err(failed("binding its context"))?;
    // SAFETY: the stream lives; one status is written.
    let asked = unsafe { sys::cuStreamIsCapturing(stream.cu_stream(), &mut status) };
    asked.result().map_err(failed("asking whether the stream is captured"))?;
    match status {
        sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE => Ok(()),
        sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE
        | sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED => Err(Error::Capturing),
    }
}

/// Waits for all work that is queued in a context.
pub(super) fn wait_for_all(context: &CudaContext) -> Result<(), DriverError> {
    make_current(context)?;
    result::ctx::synchronize()
}

/// Makes a context current in this thread. Unlike cudarc's own function, it also works if cudarc has stored an error.
pub(super) fn make_current(context: &CudaContext) -> Result<(), DriverError> {
    // SAFETY: the context lives.
    unsafe { result::ctx::set_current(context.cu_ctx()) }
}

/// Adds the failed operation to an error of the driver.
pub(super) fn failed(operation: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| {
        let text = |text: Result<&CStr, DriverError>| {
            text.map_or("unknown".to_owned(), |text| text.to_string_lossy().into_owned())
        };
        let (name, description) = (text(error.error_name()), text(error.error_string()));
        Error::Driver { operation, code: error.0 as u32, name, text: description }
    }
}

/// Makes its context current when dropped: memory of the null stream is freed in the current context.
#[derive(Debug)]
pub(super) struct Current(pub(super) Arc<CudaContext>);

impl Drop for Current {
    fn drop(&mut self) {
        self.0.record_err(make_current(&self.0));
    }
}
