//! The reasons why a data file cannot be read.

use crate::npy::NpyError;
use reduce_ir::Scalar;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The maximum number of names in a message.
const MOST_NAMES: usize = 24;

/// A data file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
#[non_exhaustive]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The reason, with the place and the fix.
    pub reason: Reason,
}

/// The reason why a data file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The system cannot read the file.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The path is a directory.
    #[error("this is a directory; name a file in it")]
    Directory,
    /// The format is unknown.
    #[error("this is no Parquet, safetensors, NumPy archive (.npz) or CSV file; convert it to one of them")]
    Format,
    /// The file has no column of that name.
    #[error("it has no column `{name}`{}; it has {}", suggestion(name, names), listed(names))]
    Name {
        /// The name.
        name: String,
        /// The names in the file.
        names: Vec<String>,
    },
    /// reducegen lacks the type.
    #[error("the column `{column}` holds {ty}; {advice}")]
    Type {
        /// The name of the column.
        column: String,
        /// The type, as a noun.
        ty: String,
        /// A way out.
        advice: &'static str,
    },
    /// The values need more memory than the limit allows.
    #[error(
        "{values} values of {ty} in `{column}` need {bytes} bytes of memory, and the limit is {limit}; raise it"
    )]
    Large {
        /// The name of the column.
        column: String,
        /// The number of values, as the file says.
        values: u64,
        /// Their type.
        ty: Scalar,
        /// The bytes of the values.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The contents contradict the format.
    #[error("{place} is damaged: {cause}; get the file again, or write it again")]
    #[non_exhaustive]
    Damaged {
        /// The place in the file.
        place: String,
        /// The contradiction.
        cause: String,
    },
    /// An array of an archive is no array, or has a type that reducegen lacks.
    #[error("the array `{name}`: {error}")]
    Npy {
        /// The name of the array.
        name: String,
        /// The reason.
        error: NpyError,
    },
    /// A cell of a table is no number.
    #[error("line {line}, column `{column}`: {text:?} is {mistake}")]
    Cell {
        /// The line of the file, counted from 1.
        line: u64,
        /// The name of the column.
        column: String,
        /// The contents of the cell, or its beginning.
        text: String,
        /// What is wrong with it, and a way out.
        mistake: &'static str,
    },
    /// The file is valid, and needs something that this reader lacks.
    #[error("{place} cannot be read: {cause}; {advice}")]
    Unsupported {
        /// The place in the file.
        place: String,
        /// What is lacking.
        cause: String,
        /// A way out.
        advice: &'static str,
    },
}

impl FileError {
    pub(crate) fn new(path: &Path, reason: Reason) -> FileError {
        FileError { path: path.to_owned(), reason }
    }
}

impl Reason {
    pub(crate) fn damaged(place: impl Into<String>, cause: impl ToString) -> Reason {
        Reason::Damaged { place: place.into(), cause: cause.to_string() }
    }

    /// Returns whether the reason is a mistake of the user, not a fault of the machine.
    pub fn is_usage_error(&self) -> bool {
        let Reason::Io(error) = self else { return true };
        matches!(
            error.kind(),
            ErrorKind::NotFound
                | ErrorKind::PermissionDenied
                | ErrorKind::NotADirectory
                | ErrorKind::InvalidFilename
                | ErrorKind::InvalidInput
        )
    }
}

/// Checks that values fit into memory, before there is memory for them.
pub(crate) fn check_size(column: &str, values: u64, ty: Scalar, limit: u64) -> Result<(), Reason> {
    let bytes = values.saturating_mul(ty.size() as u64);
    if bytes <= limit {
        return Ok(());
    }
    Err(Reason::Large { column: column.to_owned(), values, ty, bytes, limit })
}

/// Returns the nearest name as a clause, if it is near.
fn suggestion(name: &str, names: &[String]) -> String {
    let small = name.to_lowercase();
    let distance = |other: &String| strsim::osa_distance(&small, &other.to_lowercase());
    let nearest = names.iter().map(|other| (distance(other), other)).min();
    match nearest.filter(|(distance, _)| *distance <= 1 + name.len() / 4) {
        Some((_, near)) => format!(" (did you mean `{near}`?)"),
        None => String::new(),
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "no columns".to_owned();
    }
    let first: Vec<_> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    let rest = names.len() - first.len();
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    first.join(", ") + &rest
}
