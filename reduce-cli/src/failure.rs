//! Everything that can go wrong, and whose mistake it is.

use crate::data::DataError;
use reduce_dsl::parse::SpecError;
use std::io;

/// Why the command gives up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The specification is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A law does not hold.
    #[error("{0}")]
    Law(SpecError),
    /// What the user asked for cannot be: one sentence that names the way out.
    #[error("{0}")]
    Request(String),
    /// A result that is not the right one.
    #[error("bug of reducegen: {0}")]
    Wrong(String),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Runtime(#[from] reduce_runtime::Error),
    #[error("{target} cannot be written: {error}")]
    Write { target: String, error: io::Error },
}

impl Failure {
    /// A request that cannot be met.
    pub(crate) fn request(message: impl Into<String>) -> Failure {
        Failure::Request(message.into())
    }

    /// The exit status: 2 for the user's mistake, 1 for the machine's; 0 where a pipe's reader has enough.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Failure::Spec(error) => 1 + u8::from(error.is_users_fault()),
            Failure::Request(_) => 2,
            Failure::Wrong(_) | Failure::Law(_) => 1,
            Failure::Data(error) => 1 + u8::from(error.reason.is_users_fault()),
            Failure::Runtime(error) => 1 + u8::from(error.is_users_fault()),
            Failure::Write { error, .. } => u8::from(error.kind() != io::ErrorKind::BrokenPipe),
        }
    }

    /// What to tell the user; nothing where a pipe's reader has enough.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Failure::Spec(error) | Failure::Law(error) => Some(error.to_string()),
            Failure::Request(_)
            | Failure::Wrong(_)
            | Failure::Data(_)
            | Failure::Runtime(_)
            | Failure::Write { .. } => (self.status() != 0).then(|| format!("error: {self}")),
        }
    }
}
