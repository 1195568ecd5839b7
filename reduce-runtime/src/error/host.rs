//! Errors of the host backend as errors of this crate.

use super::Error;
use crate::host::HostError;

impl From<HostError> for Error {
    fn from(error: HostError) -> Error {
        match error {
            HostError::Empty { operator } => Error::Empty { operator },
            HostError::Types { .. }
            | HostError::Given { .. }
            | HostError::Lanes(_)
            | HostError::Stuck { .. } => Error::Host(error),
        }
    }
}
