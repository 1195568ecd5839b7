//! Errors of the host backend.

use reduce_ir::ops::TypeError;
use reduce_lanes::LaneError;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The input is empty and the operator has no identity.
    #[error("`{operator}` has no value for empty input; give it at least one element")]
    Empty {
        /// The operator.
        operator: String,
    },
    /// The functions of the operation do not fit together: a bug of this project.
    #[error("bug: the functions of `{operator}` do not fit together: {source}")]
    Types {
        /// The operator.
        operator: String,
        /// Where they differ.
        source: TypeError,
    },
    /// The number, the types, the lengths or the views of the inputs, or the params, differ from those that the operation
    /// takes: a bug of the caller.
    #[error("bug: `{operator}` was given inputs or params that it does not take")]
    Given {
        /// The operator.
        operator: String,
    },
    /// An operation was given lanes of a wrong type: a bug of this project.
    #[error(transparent)]
    Lanes(#[from] LaneError),
    /// The key of an element is no group.
    #[error("the key of element {position} is no group")]
    Key {
        /// The first such element.
        position: u64,
    },
    /// The levels over partials leave as many items as there were: a bug of this project.
    #[error("bug: the association does not combine {items} items")]
    Stuck {
        /// How many.
        items: usize,
    },
}
