//! Devices: where a reduction can run.

use crate::Error;
use crate::architecture::Architecture;
use crate::cuda::Gpu;
use std::time::Duration;

/// A place to run reductions: the host, or a CUDA GPU. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Device {
    place: Place,
}

#[derive(Clone, Debug)]
pub(crate) enum Place {
    Host,
    Cuda(Gpu),
}

impl Device {
    /// All cores of this machine, with the bits of every other device. The threads are those of rayon, of which a child that
    /// is forked has none: there more than a few elements would wait for ever, unless it starts a program (`exec`).
    pub fn host() -> Device {
        Device { place: Place::Host }
    }

    /// The GPU with that number, counted as the driver does, with the NVRTC that compiles for it.
    ///
    /// # Errors
    /// A missing or old driver, no such device, no NVRTC; each says how to get it.
    pub fn cuda(ordinal: usize) -> Result<Device, Error> {
        Gpu::open(ordinal).map(|gpu| Device { place: Place::Cuda(gpu) })
    }

    /// The GPU of a context of cudarc, also one that is not the primary context of its device.
    ///
    /// # Errors
    /// As [`Device::cuda`].
    #[cfg(feature = "cuda")]
    pub fn of_context(context: std::sync::Arc<cudarc::driver::CudaContext>) -> Result<Device, Error> {
        Gpu::of(context).map(|gpu| Device { place: Place::Cuda(gpu) })
    }

    /// The same, but what is compiled for it is kept in that cache, not in [`Cache::of_environment`](crate::Cache), where
    /// [`Device::cuda`] has kept which NVRTC there is, and nothing else; `REDUCEGEN_CACHE=off` keeps that from being
    /// written, too. The host has none.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn with_cache(self, cache: crate::Cache) -> Device {
        match self.place {
            Place::Host => self,
            Place::Cuda(gpu) => Device { place: Place::Cuda(gpu.with_cache(cache)) },
        }
    }

    /// The same, but callers wait so long for NVRTC: see [`Compiler::with_deadline`](crate::Compiler::with_deadline). The host
    /// compiles nothing.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn with_compile_deadline(self, deadline: Duration) -> Device {
        match self.place {
            Place::Host => self,
            Place::Cuda(gpu) => Device { place: Place::Cuda(gpu.with_deadline(deadline)) },
        }
    }

    /// What compiles for a GPU, with its cache.
    #[cfg(feature = "cuda")]
    pub fn compiler(&self) -> Option<&crate::Compiler> {
        match &self.place {
            Place::Host => None,
            Place::Cuda(gpu) => Some(gpu.compiler()),
        }
    }

    /// The first GPU if it can be used, else the host. [`devices`] says why a GPU cannot be used.
    pub fn auto() -> Device {
        Device::cuda(0).unwrap_or_else(|_| Device::host())
    }

    /// `host`, or `cuda:0`.
    pub fn name(&self) -> String {
        match &self.place {
            Place::Host => "host".to_owned(),
            Place::Cuda(gpu) => gpu.name(),
        }
    }

    /// What it is, for people: `8 threads`, or `NVIDIA H200, sm_90, 139.8 GiB`.
    pub fn description(&self) -> String {
        match &self.place {
            Place::Host => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
            }
            Place::Cuda(gpu) => gpu.description(),
        }
    }

    /// The architecture of a GPU.
    pub fn architecture(&self) -> Option<Architecture> {
        match &self.place {
            Place::Host => None,
            Place::Cuda(gpu) => Some(gpu.architecture()),
        }
    }

    /// The least time in which a GPU reads so many bytes from its memory and does nothing else: the ceiling
    /// beside which the times of [`Reducer::time`](crate::Reducer::time) stand, taken in the same way.
    ///
    /// The kernel loads 16 bytes at a time, eight loads of each thread in flight, on several grids, of which
    /// the fastest counts. No bytes take as long as one.
    ///
    /// # Errors
    /// The device is the host, and what the driver reports.
    pub fn time_read(&self, bytes: u64) -> Result<Duration, Error> {
        match &self.place {
            Place::Host => Err(Error::HostHasNoClock),
            Place::Cuda(gpu) => gpu.time_read(bytes.max(1)),
        }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }
}

/// A device, or the reason why it cannot be used.
#[derive(Clone, Debug)]
pub struct Listing {
    /// `host`, `cuda:0`, or `cuda` where no GPU can be counted.
    pub name: String,
    /// The device.
    pub device: Result<Device, Error>,
}

/// Every device of this machine, the host first.
pub fn devices() -> Vec<Listing> {
    let host = Listing { name: "host".to_owned(), device: Ok(Device::host()) };
    let gpu = |ordinal| Listing { name: format!("cuda:{ordinal}"), device: Device::cuda(ordinal) };
    let gpus = match Gpu::count() {
        Ok(count) => (0..count).map(gpu).collect(),
        Err(error) => vec![Listing { name: "cuda".to_owned(), device: Err(error) }],
    };
    std::iter::once(host).chain(gpus).collect()
}
