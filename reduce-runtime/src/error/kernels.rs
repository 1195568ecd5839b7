//! Errors of kernels that were compiled ahead.

use crate::{Architecture, Error, Target};

/// The reason why kernels that were compiled ahead cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelsError {
    /// The bytes are not a file of kernels.
    #[error("this is no file of kernels; write one with `reducegen compile`, or `Compiler::compile_ahead`")]
    NotKernels,
    /// The file is cut off or changed.
    #[error("the file of kernels is damaged; write it again, and copy it as binary data")]
    Damaged,
    /// Another version of this crate wrote the file.
    #[error(
        "the kernels are of reducegen {found}, and this is {expected}; compile them again with this version"
    )]
    Version {
        /// The version that wrote the file, and its associations.
        found: String,
        /// This version.
        expected: String,
    },
    /// The kernels are for other GPUs, and NVRTC cannot be used.
    #[error(
        "the kernels are for {}, and the GPU is {device}; compile them with `--arch {device}`, or install NVRTC: {nvrtc}",
        targets.iter().map(Target::to_string).collect::<Vec<_>>().join(", ")
    )]
    Architecture {
        /// The architecture of the GPU.
        device: Architecture,
        /// The targets of the kernels.
        targets: Vec<Target>,
        /// The reason why NVRTC cannot be used.
        nvrtc: Box<Error>,
    },
    /// The kernels of this reduction are not among those that were compiled ahead, and NVRTC cannot be used.
    #[error(
        "this reduction is not among the kernels that were compiled ahead for {device}; compile its specification too, \
         for the same layout of its inputs, or install NVRTC: {nvrtc}"
    )]
    Missing {
        /// The architecture of the GPU.
        device: Architecture,
        /// The reason why NVRTC cannot be used.
        nvrtc: Box<Error>,
    },
}
