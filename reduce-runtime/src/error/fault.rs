//! Classifies errors: mistakes of the user, or faults of the machine or of this project.

use super::Error;
use crate::host::HostError;
use reduce_codegen as codegen;

impl Error {
    /// The environment variable for the time that callers wait for NVRTC, in seconds.
    pub const COMPILE_SECONDS: &str = "REDUCEGEN_COMPILE_SECONDS";

    /// Returns whether the error is a mistake in the request, not a fault of the machine or of this project.
    #[must_use]
    pub fn is_usage_error(&self) -> bool {
        match self {
            Error::InputCount { .. }
            | Error::InputType { .. }
            | Error::InputLength { .. }
            | Error::ParamCount { .. }
            | Error::ParamType { .. }
            | Error::Params(_)
            | Error::Kernels(_)
            | Error::Constants(_)
            | Error::NotContiguous { .. }
            | Error::TooManyRepeated { .. }
            | Error::OutsideData { .. }
            | Error::Empty { .. }
            | Error::NothingLeft { .. }
            | Error::AssertionFailed { .. }
            | Error::GridTooLarge { .. }
            | Error::OutputType { .. }
            | Error::OtherContext { .. }
            | Error::DeviceMemoryOnHost
            | Error::StreamOfOtherContext { .. }
            | Error::PerThreadStream
            | Error::Capturing
            | Error::OtherWorkspace
            | Error::OtherStream
            | Error::InputOfOtherStream { .. }
            | Error::SmallWorkspace { .. }
            | Error::WorkspaceMemory { .. }
            | Error::NothingEnqueued
            | Error::TooManyElements { .. }
            | Error::NoAxes
            | Error::Shape(_)
            | Error::Segments(_)
            | Error::Partials(_)
            | Error::View(_)
            | Error::SeveralGroups
            | Error::ArchitectureTooOld { .. }
            | Error::ClusterTooLarge { .. }
            | Error::HostHasNoClock
            | Error::NothingToTime
            | Error::MalformedArchitecture { .. }
            | Error::MalformedSeconds(_)
            | Error::UnknownArchitecture { .. }
            | Error::NoSuchDevice { .. }
            | Error::NoSuchName(_) => true,
            Error::Stream(error) => error.is_usage_error(),
            Error::Codegen(error) => {
                use codegen::Error::{
                    Name, Refused, SegmentsNeedAuto, SegmentsTooLarge, SharedMemory, TooLarge,
                };
                matches!(error, Refused { .. } | SharedMemory { .. } | TooLarge { .. } | Name { .. })
                    || matches!(error, SegmentsNeedAuto | SegmentsTooLarge)
            }
            Error::Host(_)
            | Error::BuiltWithoutCuda
            | Error::NoDriver
            | Error::DriverUnusable { .. }
            | Error::OldDriver { .. }
            | Error::IncompleteDriver { .. }
            | Error::NoDevice
            | Error::NvrtcNotFound { .. }
            | Error::NvrtcUnusable { .. }
            | Error::Nvrtc(_)
            | Error::CompileTime { .. }
            | Error::WrongTime(_)
            | Error::Driver { .. }
            | Error::OutOfMemory { .. } => false,
        }
    }
}

/// An empty input is a mistake of the caller; the other errors of the host backend are bugs of this project.
impl From<HostError> for Error {
    fn from(error: HostError) -> Error {
        match error {
            HostError::Empty { operator } => Error::Empty { operator },
            HostError::Types { .. }
            | HostError::Given { .. }
            | HostError::Lanes(_)
            | HostError::Key { .. }
            | HostError::Stuck { .. } => Error::Host(error),
        }
    }
}
