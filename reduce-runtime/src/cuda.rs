//! NVIDIA GPUs: libcuda through cudarc, NVRTC through the loader. The only unsafe code of the project is
//! in here: in `library`, `nvrtc`, `driver`, `gpu`, `launch` and `time`.

mod clock;
mod compile;
mod driver;
mod gpu;
mod identity;
mod input;
mod launch;
mod library;
mod nvrtc;
mod ring;
mod time;

pub use compile::Compiler;
pub(crate) use gpu::Gpu;
pub use input::{DeviceInput, DeviceSlices};
pub(crate) use launch::Kernels;
pub use nvrtc::Nvrtc;
