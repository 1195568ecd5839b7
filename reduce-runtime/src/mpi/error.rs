//! The reasons why ranks do not reduce together.

use crate::PartialsError;

/// The reason why ranks do not reduce together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// A rank gives no sign of life.
    #[error(
        "rank {rank} was silent for {seconds} s: it is dead or stopped, or makes another call; start all ranks again"
    )]
    Silent {
        /// The rank.
        rank: i32,
        /// The time of the deadline.
        seconds: u64,
    },
    /// The part of a rank is not reduced.
    #[error("rank {rank} failed: {reason}")]
    Failed {
        /// The rank.
        rank: i32,
        /// Its error.
        reason: String,
    },
    /// The partials are too many for a message.
    #[error(
        "the partials of all ranks have {bytes} bytes, and a message 2^31 - 1; cut the data along a kept axis instead"
    )]
    TooLarge {
        /// The bytes.
        bytes: usize,
    },
    /// A message is no partials.
    #[error("the partials of a rank were not received: {0}")]
    Malformed(#[from] PartialsError),
}
