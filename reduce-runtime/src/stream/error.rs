//! The reasons why elements that arrive are not reduced.

use reduce_ir::Scalar;
use std::io::{self, ErrorKind};

/// The reason why elements that arrive are not reduced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A reader failed.
    #[error(
        "the elements of `{input}` cannot be read after {position} of them: {reason}; repair the source, and read it again"
    )]
    Read {
        /// The input.
        input: String,
        /// The number of elements that were read before.
        position: u64,
        /// The kind of the error.
        kind: ErrorKind,
        /// The message of the system.
        reason: String,
    },
    /// There are fewer elements than the call says.
    #[error(
        "the elements end after {found} of {total}: the source was cut short, or `total` is wrong; read a whole copy of it"
    )]
    CutShort {
        /// The number of elements that were read.
        found: u64,
        /// The number that the call gives.
        total: u64,
    },
    /// The last element is not whole.
    #[error("`{input}` ends with {bytes} bytes of a {ty} that has {size}; check its type, or copy it again", size = ty.size())]
    Torn {
        /// The input.
        input: String,
        /// Its type.
        ty: Scalar,
        /// The bytes that are left.
        bytes: usize,
    },
    /// A byte is no `bool`.
    #[error(
        "element {position} of `{input}` is the byte {byte}, and a bool is 0 or 1; write `x != 0` to the source"
    )]
    NotBool {
        /// The input.
        input: String,
        /// The position of the element.
        position: u64,
        /// The byte.
        byte: u8,
    },
    /// The specification has axes.
    #[error(
        "readers and iterators give the elements of one result; for `axes`, reduce parts by `partials_groups`"
    )]
    Axes,
    /// There is no memory for the pieces.
    #[error(
        "there is no memory for {bytes} bytes of elements, which chunks of {chunk} elements need; write passes with smaller tiles"
    )]
    NoMemory {
        /// The bytes.
        bytes: u64,
        /// The number of elements of a chunk.
        chunk: u64,
    },
    /// The system starts no thread.
    #[error(
        "the system starts no thread to reduce while the elements are read: {reason}; raise its limit on threads"
    )]
    NoThread {
        /// The message of the system.
        reason: String,
    },
}

impl StreamError {
    /// Returns the error of a reader.
    pub(super) fn of_read(input: &str, position: u64, error: &io::Error) -> StreamError {
        let (kind, reason) = (error.kind(), error.to_string());
        StreamError::Read { input: input.to_owned(), position, kind, reason }
    }

    /// Returns whether the error is a mistake of the caller, and not a fault of the machine.
    pub(crate) fn is_usage_error(&self) -> bool {
        match self {
            StreamError::Torn { .. } | StreamError::NotBool { .. } | StreamError::Axes => true,
            StreamError::Read { .. }
            | StreamError::CutShort { .. }
            | StreamError::NoMemory { .. }
            | StreamError::NoThread { .. } => false,
        }
    }
}
