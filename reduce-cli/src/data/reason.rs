//! The reasons why a file cannot be read as data, and whose mistake each one is.

use crate::dtype::NotBool;
use crate::npy::NpyError;
use reduce_ir::Scalar;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// A file that cannot be read as data.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub(crate) struct DataError {
    pub(crate) path: PathBuf,
    /// The reason.
    pub(crate) reason: Reason,
}

/// The reason why a file cannot be read as data.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Reason {
    #[error("{0}")]
    Io(io::Error),
    #[error("this is a directory; name a file in it")]
    Directory,
    #[error("this is neither a regular file nor a pipe; save it to a file first")]
    NoFile,
    #[error("the symbolic links form a loop; name the file that they should lead to")]
    Loop,
    #[error(
        "the system cannot map this file into memory ({0}); copy it, or give it as the standard input, `-`"
    )]
    Unmappable(io::Error),
    #[error("{}", changed())]
    Changed,
    #[error(
        "this pipe has more than {limit} bytes, or does not end; save its data to a file, \
         which has no limit, or raise `--limit`"
    )]
    EndlessPipe { limit: u64 },
    #[error("bytes follow the array in this pipe; send one array")]
    MoreThanAnArray,
    #[error(
        "{bytes} bytes of {ty} elements must be copied into memory{}, and `--limit` allows {limit}; raise it",
        copy_reason(*ty)
    )]
    LargeCopy { bytes: u64, ty: Scalar, limit: u64 },
    #[error(
        "there is no memory for a copy of {bytes} bytes of {ty} elements{}; reduce parts of the file one at a time",
        copy_reason(*ty)
    )]
    NoMemory { bytes: u64, ty: Scalar },
    #[error("{0}")]
    Npy(#[from] NpyError),
    #[error("this is a NumPy file, and `--raw` would read its header as data; leave `--raw` out")]
    NotRaw,
    #[error("{bytes} bytes are not a whole number of {ty} elements; check the type that `--raw` names")]
    Raw { ty: Scalar, bytes: usize },
    #[error("{0}")]
    NotBool(#[from] NotBool),
    #[cfg(feature = "formats")]
    #[error("{0}")]
    File(reduce_files::Reason),
}

impl Reason {
    /// Returns the reason why a file was not mapped.
    pub(super) fn of_mapping(error: io::Error) -> Reason {
        if error.kind() == ErrorKind::OutOfMemory { Reason::Io(error) } else { Reason::Unmappable(error) }
    }

    /// Returns whether the reason is a mistake of the user, not a fault of the machine.
    pub(crate) fn is_usage_error(&self) -> bool {
        match self {
            Reason::Io(error) => is_path_error(error.kind()),
            Reason::Changed | Reason::NoMemory { .. } => false,
            Reason::Directory | Reason::NoFile | Reason::Loop | Reason::Unmappable(_) => true,
            Reason::EndlessPipe { .. } | Reason::MoreThanAnArray | Reason::LargeCopy { .. } => true,
            #[cfg(feature = "formats")]
            Reason::File(reason) => reason.is_usage_error(),
            Reason::Npy(_) | Reason::NotRaw | Reason::Raw { .. } | Reason::NotBool(_) => true,
        }
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Reason {
        if is_loop(&error) { Reason::Loop } else { Reason::Io(error) }
    }
}

/// The message for a file that others write to while it is reduced.
pub(crate) fn changed() -> &'static str {
    "this file was cut short, was written, or became unreadable during the reduction; reduce a copy of it"
}

/// Returns the reason for a copy of the elements, as a clause.
fn copy_reason(ty: Scalar) -> &'static str {
    if ty == Scalar::Bool {
        ", because they are checked once and must not change"
    } else {
        ", because they are not aligned in the file"
    }
}

/// Returns whether the path is wrong, not the machine.
fn is_path_error(kind: ErrorKind) -> bool {
    use ErrorKind::{InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied};
    matches!(
        kind,
        InvalidFilename | InvalidInput | IsADirectory | NotADirectory | NotFound | PermissionDenied
    )
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

#[cfg(not(unix))]
fn is_loop(_: &io::Error) -> bool {
    false
}
