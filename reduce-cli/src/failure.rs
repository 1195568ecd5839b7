//! All failures of the command, and whose mistake each one is.

use crate::data::DataError;
use reduce_dsl::parse::SpecError;
use std::io;

/// The reason why the command fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The specification is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A law does not hold.
    #[error("{0}")]
    Law(SpecError),
    /// The request of the user is impossible: one sentence that names a way out.
    #[error("{0}")]
    Request(String),
    /// A wrong result.
    #[error("bug of reducegen: {0}")]
    Wrong(String),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Runtime(#[from] reduce_runtime::Error),
    /// Another rank prints the reason.
    #[cfg(feature = "mpi")]
    #[error("another rank failed")]
    OfAnotherRank,
    #[error("{target} cannot be written: {error}")]
    Write { target: String, error: io::Error },
}

impl Failure {
    /// Returns the failure of an impossible request.
    pub(crate) fn request(message: impl Into<String>) -> Failure {
        Failure::Request(message.into())
    }

    /// Returns the exit status: 2 for a mistake of the user, 1 for a fault of the machine, 0 if the reader of a
    /// pipe closed it.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Failure::Spec(error) => 1 + u8::from(error.is_usage_error()),
            Failure::Request(_) => 2,
            Failure::Wrong(_) | Failure::Law(_) => 1,
            #[cfg(feature = "mpi")]
            Failure::OfAnotherRank => 1,
            Failure::Data(error) => 1 + u8::from(error.reason.is_usage_error()),
            Failure::Runtime(error) => 1 + u8::from(error.is_usage_error()),
            Failure::Write { error, .. } => u8::from(error.kind() != io::ErrorKind::BrokenPipe),
        }
    }

    /// Returns whether the user sees a message.
    fn is_printed(&self) -> bool {
        #[cfg(feature = "mpi")]
        if matches!(self, Failure::OfAnotherRank) {
            return false;
        }
        self.status() != 0
    }

    /// Returns the line of JSON for the user; `None` if the reader of a pipe closed it.
    pub(crate) fn json(&self) -> Option<String> {
        self.is_printed().then(|| {
            let (error, status) = (self.to_string(), self.status());
            serde_json::json!({ "error": error, "status": status }).to_string()
        })
    }

    /// Returns the message for the user, with colours; `None` if the reader of a pipe closed it.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Failure::Spec(error) | Failure::Law(error) => Some(error.coloured()),
            Failure::Request(_)
            | Failure::Wrong(_)
            | Failure::Data(_)
            | Failure::Runtime(_)
            | Failure::Write { .. } => self.is_printed().then(|| format!("error: {self}")),
            #[cfg(feature = "mpi")]
            Failure::OfAnotherRank => None,
        }
    }
}
