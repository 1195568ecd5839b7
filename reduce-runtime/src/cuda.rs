//! NVIDIA GPUs: libcuda through cudarc, NVRTC through the loader. The only unsafe code of the project is
//! in here: in `library`, `nvrtc`, `driver` and `launch`.

mod compile;
mod driver;
mod gpu;
mod input;
mod launch;
mod library;
mod nvrtc;

pub(crate) use gpu::Gpu;
pub use input::{DeviceInput, DeviceSlices};
pub(crate) use launch::Kernels;
pub use nvrtc::Nvrtc;
