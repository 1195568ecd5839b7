//! Devices that can run a reduction.

use crate::Error;
use crate::architecture::Architecture;
use crate::cuda::Gpu;
use std::time::Duration;

/// A device that runs reductions: the host, or a CUDA GPU. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Device {
    kind: DeviceKind,
}

#[derive(Clone, Debug)]
pub(crate) enum DeviceKind {
    Host,
    Cuda(Gpu),
}

impl Device {
    /// Returns the host: all cores of this machine, with the same bits as every other device.
    ///
    /// It uses the threads of rayon, which a forked child does not have: without `exec`, a reduction of more than a few
    /// elements hangs there.
    #[must_use]
    pub fn host() -> Device {
        Device { kind: DeviceKind::Host }
    }

    /// Opens the GPU with that number, as the driver counts, with an NVRTC that compiles for it.
    ///
    /// # Errors
    /// The driver is missing or old, the device does not exist, or NVRTC is missing. Each message says how to get it.
    pub fn cuda(ordinal: usize) -> Result<Device, Error> {
        Gpu::open(ordinal).map(|gpu| Device { kind: DeviceKind::Cuda(gpu) })
    }

    /// Opens all GPUs, for [`Reducer::reduce_over`](crate::Reducer::reduce_over).
    ///
    /// # Errors
    /// As [`Device::cuda`].
    pub fn cuda_all() -> Result<Vec<Device>, Error> {
        (0..Gpu::count()?).map(Device::cuda).collect()
    }

    /// Returns the GPU of a context of cudarc. The context need not be the primary one of its device.
    ///
    /// # Errors
    /// As [`Device::cuda`].
    #[cfg(feature = "cuda")]
    pub fn from_context(context: std::sync::Arc<cudarc::driver::CudaContext>) -> Result<Device, Error> {
        Gpu::of(context).map(|gpu| Device { kind: DeviceKind::Cuda(gpu) })
    }

    // The old name, until no branch has it.
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    pub fn of_context(context: std::sync::Arc<cudarc::driver::CudaContext>) -> Result<Device, Error> {
        Device::from_context(context)
    }

    /// Returns the device with another cache for compiled kernels, instead of [`Cache::from_env`](crate::Cache).
    /// Has no effect on the host.
    ///
    /// [`Device::cuda`] has already stored the identity of NVRTC, and nothing else, in the cache of the environment.
    /// `REDUCEGEN_CACHE=off` also prevents that write.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn with_cache(self, cache: crate::Cache) -> Device {
        match self.kind {
            DeviceKind::Host => self,
            DeviceKind::Cuda(gpu) => Device { kind: DeviceKind::Cuda(gpu.with_cache(cache)) },
        }
    }

    /// Returns the device with another time that callers wait for NVRTC: see
    /// [`Compiler::with_deadline`](crate::Compiler::with_deadline). Has no effect on the host.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn with_compile_deadline(self, deadline: Duration) -> Device {
        match self.kind {
            DeviceKind::Host => self,
            DeviceKind::Cuda(gpu) => Device { kind: DeviceKind::Cuda(gpu.with_deadline(deadline)) },
        }
    }

    /// Returns the compiler of a GPU, with its cache; `None` for the host.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn compiler(&self) -> Option<&crate::Compiler> {
        match &self.kind {
            DeviceKind::Host => None,
            DeviceKind::Cuda(gpu) => Some(gpu.compiler()),
        }
    }

    /// Returns the first GPU if it is usable, and the host otherwise. [`devices`] says why a GPU is not usable.
    #[must_use]
    pub fn auto() -> Device {
        Device::cuda(0).unwrap_or_else(|_| Device::host())
    }

    /// Returns whether two values stand for one device: the host, or one context of a GPU.
    #[must_use]
    pub fn is_same(&self, other: &Device) -> bool {
        match (&self.kind, &other.kind) {
            (DeviceKind::Host, DeviceKind::Host) => true,
            (DeviceKind::Cuda(this), DeviceKind::Cuda(other)) => this.has_context_of(other),
            (DeviceKind::Host, DeviceKind::Cuda(_)) | (DeviceKind::Cuda(_), DeviceKind::Host) => false,
        }
    }

    /// Returns the name: `host`, or `cuda:0`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.kind {
            DeviceKind::Host => "host".to_owned(),
            DeviceKind::Cuda(gpu) => gpu.name(),
        }
    }

    /// Describes the device for people: `8 threads`, or `NVIDIA H200, sm_90, 139.8 GiB`.
    pub fn description(&self) -> String {
        match &self.kind {
            DeviceKind::Host => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
            }
            DeviceKind::Cuda(gpu) => gpu.description(),
        }
    }

    /// Returns the architecture of a GPU; `None` for the host.
    #[must_use]
    pub fn architecture(&self) -> Option<Architecture> {
        match &self.kind {
            DeviceKind::Host => None,
            DeviceKind::Cuda(gpu) => Some(gpu.architecture()),
        }
    }

    /// Returns the least time in which a GPU reads `bytes` bytes from its memory and does nothing else. This is the
    /// ceiling for [`Reducer::time`](crate::Reducer::time), measured in the same way.
    ///
    /// The kernel loads 16 bytes at a time and keeps eight loads of each thread in flight. The fastest of several grids
    /// counts. 0 bytes are measured as 1 byte.
    ///
    /// # Errors
    /// The device is the host, or the driver reports an error.
    pub fn time_read(&self, bytes: u64) -> Result<Duration, Error> {
        match &self.kind {
            DeviceKind::Host => Err(Error::HostHasNoClock),
            DeviceKind::Cuda(gpu) => gpu.time_read(bytes.max(1)),
        }
    }

    pub(crate) fn kind(&self) -> &DeviceKind {
        &self.kind
    }
}

/// A device, or the reason why it cannot be used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listing {
    /// `host`, `cuda:0`, or `cuda` if the GPUs cannot be counted.
    pub name: String,
    /// The device.
    pub device: Result<Device, Error>,
}

/// Lists every device of this machine, the host first.
#[must_use]
pub fn devices() -> Vec<Listing> {
    let host = Listing { name: "host".to_owned(), device: Ok(Device::host()) };
    let gpu = |ordinal| Listing { name: format!("cuda:{ordinal}"), device: Device::cuda(ordinal) };
    let gpus = match Gpu::count() {
        Ok(count) => (0..count).map(gpu).collect(),
        Err(error) => vec![Listing { name: "cuda".to_owned(), device: Err(error) }],
    };
    std::iter::once(host).chain(gpus).collect()
}
