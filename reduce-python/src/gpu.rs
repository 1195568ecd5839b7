//! GPUs, and the streams of other libraries.

use crate::errors::{self, DeviceError};
use crate::memory::Memory;
use crate::source::bug;
use crate::tensor::{Library, Place};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use reducegen::ir::{Scalar, Value};
use reducegen::{Device, Lanes};
use std::sync::{Arc, Mutex, PoisonError};

/// A GPU, as this package opens it: its primary context, in which all libraries of Python work.
#[derive(Clone)]
pub(crate) struct Gpu {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) device: Device,
}

static OPENED: Mutex<Vec<(usize, Gpu)>> = Mutex::new(Vec::new());

impl Gpu {
    /// Returns the GPU of that number, opened once.
    pub(crate) fn open(py: Python<'_>, ordinal: usize) -> PyResult<Gpu> {
        let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, gpu)) = opened.iter().find(|(it, _)| *it == ordinal) {
            return Ok(gpu.clone());
        }
        drop(opened);
        helpers(py)?.call_method0("find_compiler")?;
        let gpu = py.detach(|| Gpu::new(ordinal))?;
        OPENED.lock().unwrap_or_else(PoisonError::into_inner).push((ordinal, gpu.clone()));
        Ok(gpu)
    }

    fn new(ordinal: usize) -> PyResult<Gpu> {
        let of_runtime = |error| errors::of_runtime(&error);
        // It checks the driver, which cudarc does not.
        Device::cuda(ordinal).map_err(of_runtime)?;
        let context = CudaContext::new(ordinal).map_err(|error| failed(&error))?;
        // SAFETY: this context object is used by this package alone, which orders all work of a call by one stream.
        unsafe { context.disable_event_tracking() };
        Ok(Gpu { device: Device::from_context(context.clone()).map_err(of_runtime)?, context })
    }

    /// Returns a stream of another library by its handle. Its owner keeps it until the work of the call is done, as for its own work.
    pub(crate) fn stream(&self, handle: usize) -> Arc<CudaStream> {
        match handle {
            0 | 1 => self.context.default_stream(),
            // SAFETY: the handle comes from the library that made the stream; dropping this value does not destroy it.
            handle => unsafe { self.context.wrap_borrowed_stream(handle as _) },
        }
    }
}

/// Returns the handle of the stream on which a library queues its work now; that of the legacy default stream for others.
pub(crate) fn current_stream(py: Python<'_>, library: Library, ordinal: usize) -> PyResult<usize> {
    let name = match library {
        Library::Torch => intern!(py, "torch"),
        Library::Cupy => intern!(py, "cupy"),
        Library::Numpy | Library::Jax | Library::Other => return Ok(0),
    };
    helpers(py)?.call_method1(intern!(py, "current_stream"), (name, ordinal))?.extract()
}

/// Returns the handle of a stream that a caller gives.
pub(crate) fn handle(stream: &Bound<'_, PyAny>) -> PyResult<usize> {
    helpers(stream.py())?.call_method1(intern!(stream.py(), "handle"), (stream,))?.extract()
}

fn helpers(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static HELPERS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module =
        HELPERS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("reducegen._cuda")?.into_any().unbind()))?;
    Ok(module.bind(py))
}

/// Makes a stream of a consumer wait until results are written. DLPack numbers streams: null and 1 are the legacy default stream.
pub(crate) fn order(memory: &Memory, stream: Option<isize>) -> PyResult<()> {
    let Some(written_on) = memory.stream().filter(|_| stream != Some(-1)) else { return Ok(()) };
    let Ok(handle) = usize::try_from(stream.unwrap_or(1)) else {
        return Err(DeviceError::new_err("a stream has no negative handle, except -1 for no order"));
    };
    let context = written_on.context();
    let consumer = match handle {
        0 | 1 => context.default_stream(),
        2 => context.per_thread_stream(),
        // SAFETY: the consumer gives a stream that it owns; this value does not destroy it.
        handle => unsafe { context.wrap_borrowed_stream(handle as _) },
    };
    if consumer == *written_on { Ok(()) } else { consumer.join(written_on).map_err(|error| failed(&error)) }
}

/// Waits for results and copies them to the host.
pub(crate) fn read(memory: &Memory, ty: Scalar, len: usize) -> PyResult<Lanes> {
    let mut bytes = vec![0u8; len * ty.size()];
    match (memory.place(), memory.stream()) {
        // SAFETY: the memory holds that many bytes.
        (Place::Host, _) => unsafe {
            std::ptr::copy_nonoverlapping(memory.address() as *const u8, bytes.as_mut_ptr(), bytes.len());
        },
        (Place::Cuda(_), Some(stream)) => {
            stream.context().bind_to_thread().map_err(|error| failed(&error))?;
            // SAFETY: the memory holds that many bytes; the stream is waited for before they are used or dropped.
            let copied =
                unsafe { result::memcpy_dtoh_async(&mut bytes, memory.address() as _, stream.cu_stream()) };
            let waited = stream.synchronize();
            copied.and(waited).map_err(|error| failed(&error))?;
        }
        (Place::Cuda(_), None) => return Err(bug("memory of a GPU has no stream")),
    }
    Ok(lanes(ty, &bytes))
}

fn lanes(ty: Scalar, bytes: &[u8]) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(bytes.len() / ty.size());
    for (at, one) in bytes.chunks(ty.size()).enumerate() {
        let bits = one.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        lanes.set(at, Value::from_bits(ty, bits));
    }
    lanes
}

/// Returns the exception of an error of the driver.
pub(crate) fn failed(error: &DriverError) -> PyErr {
    DeviceError::new_err(format!("the CUDA driver failed: {error}"))
}

impl Gpu {
    /// Makes a stream wait for everything that is queued on another one now.
    pub(crate) fn wait(&self, stream: usize, other: usize) -> PyResult<()> {
        self.stream(stream).join(&self.stream(other)).map_err(|error| failed(&error))
    }
}
