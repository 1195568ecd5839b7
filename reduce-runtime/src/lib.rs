//! Runs reductions: on the host, and on NVIDIA GPUs through NVRTC and the driver API.
//!
//! In reading order: [`Device`] (where) → [`Reducer`] (a specification compiled for a device) → [`Reduction`] and
//! [`Compiled`] (the same with Rust types, made by `reduction!`) → [`Best`] and other structs (results).
//!
//! Below them, [`host`] evaluates the association of a program on all cores. The module `cuda` finds libcuda and NVRTC
//! at run time, compiles kernels, and launches them according to the plan of the program.
//!
//! Without the feature `cuda`, reductions of host slices still work. Every CUDA device is then an [`Error`], and items
//! that take device memory, streams or a cache do not exist.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod architecture;
#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "cuda")]
mod cache;
#[cfg(feature = "num-complex")]
pub mod complex;
mod default_device;
mod device;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod error;
mod event;
mod groups;
pub mod host;
mod image;
mod inputs;
mod keys;
#[cfg(feature = "mapped")]
mod mapped;
#[cfg(feature = "mpi")]
pub mod mpi;
mod partials;
mod reducer;
mod reduction;
mod results;
mod runs;
mod segments;
mod stream;
mod strided;
mod timing;
mod view;

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(not(feature = "cuda"))]
#[path = "no_cuda.rs"]
mod cuda;

/// The version of candle-core whose tensors this crate takes.
#[cfg(feature = "candle")]
pub use candle_core;
/// The version of cudarc whose slices and contexts this crate takes.
#[cfg(feature = "cuda")]
pub use cudarc;

pub use architecture::{Architecture, Target};
#[cfg(feature = "cuda")]
pub use cache::Cache;
pub use cuda::Nvrtc;
#[cfg(feature = "cuda")]
pub use cuda::{
    Compiler, DeviceArray, DeviceGroups, DeviceInput, DeviceInputs, DeviceKeys, DeviceMemory, DeviceResults,
    DeviceRuns, DeviceSegments, DeviceSlices, DeviceViews, Workspace, install_kernels,
};
pub use default_device::DeviceName;
pub use device::{Device, Listing, devices};
pub use error::{Error, KernelsError, NvrtcError};
pub use groups::Groups;
pub use image::{Image, Resources};
#[cfg(feature = "mapped")]
pub use mapped::Mapped;
pub use partials::{Partials, PartialsError, Span};
pub use reduce_lanes::{Lanes, LanesRef};
pub use reducer::{Outcome, Reducer};
pub use reduction::{
    Array, Compiled, CompleteParams, GroupResult, Keyed, NamedParams, NoParams, Numbered, Output, Params,
    Ragged, Reduction, Returned, Runs, Slices, Views, With,
};
#[doc(hidden)]
pub use reduction::{take, width};
pub use results::{ArgMinMax, Best, Describe, MaxSum, MinMax};
pub use runs::RunGroups;
pub use segments::SegmentsError;
pub use stream::StreamError;
pub use strided::Strided;
pub use timing::Timing;
#[cfg(feature = "ndarray")]
pub use view::GapsError;
#[cfg(feature = "candle")]
pub use view::{TensorError, TensorStorage};
pub use view::{View, ViewError};
