//! The error of a source that NVRTC refuses.

use crate::Target;
use std::fmt;

/// A source that NVRTC refuses. `{}` prints its log, and `{:#}` also the source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NvrtcError {
    /// The compilation target.
    pub target: Target,
    /// The name of NVRTC's error.
    pub name: String,
    /// The log of NVRTC.
    pub log: String,
    /// The source with line numbers.
    pub source_text: String,
}

impl fmt::Display for NvrtcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NvrtcError { target, name, log, source_text } = self;
        write!(f, "NVRTC does not compile this for {target} ({name}):\n{}", log.trim_end())?;
        if f.alternate() {
            write!(f, "\n{source_text}")
        } else {
            f.write_str("\n`{:#}` also prints the source")
        }
    }
}

impl std::error::Error for NvrtcError {}
