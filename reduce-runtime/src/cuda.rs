//! NVIDIA GPUs: libcuda through cudarc, NVRTC through the loader.
//!
//! Nearly all unsafe code of the project is in this module, in `library`, `nvrtc`, `driver`, `gpu`, `launch`,
//! `workspace` and `time`. The rest is one call in the folder of the cache, `mapped` and `host/isa`.

mod ahead;
mod arrays;
mod cold_buffers;
mod compile;
mod deadline;
mod driver;
mod faults;
mod gpu;
mod gpu_timer;
mod groups;
mod identity;
mod input;
mod kernels;
mod keys;
mod launch;
mod library;
mod modules;
mod nvrtc;
mod partials;
mod segments;
mod sizes;
mod time;
mod typed;
mod variants;
mod workspace;

pub use ahead::install_kernels;
pub use arrays::{DeviceArray, DeviceViews};
pub use compile::Compiler;
pub(crate) use gpu::Gpu;
pub use groups::DeviceGroups;
pub use input::{DeviceInput, DeviceInputs, DeviceMemory, DeviceSlices};
pub(crate) use kernels::Kernels;
pub use keys::DeviceKeys;
pub(crate) use keys::KeyKernels;
pub use nvrtc::Nvrtc;
pub(crate) use segments::SegmentKernels;
pub use segments::{DeviceRuns, DeviceSegments};
pub use typed::DeviceResults;
pub use workspace::Workspace;
