//! The reasons why inputs of given shapes do not fit the axes.

use std::fmt;

/// The reason why inputs of given shapes do not fit the axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// An input has another number of dimensions.
    Rank {
        /// The input.
        input: String,
        /// Its axes, as specified.
        axes: String,
        /// The number of its dimensions.
        found: usize,
    },
    /// Two dimensions of one axis differ in length.
    Lengths {
        /// The axis.
        axis: String,
        /// The input in which the axis comes first; `None` if the specification gives the length. And the length.
        first: (Option<String>, u64),
        /// The other input, and its length.
        other: (String, u64),
    },
    /// A dimension cannot be split.
    Split {
        /// The input.
        input: String,
        /// The axes of the dimension, as in `(s 16)`.
        axes: String,
        /// Its length.
        length: u64,
        /// The number that must divide the length.
        by: u64,
    },
    /// No dimension tells the length of an axis.
    Unknown {
        /// The axis.
        axis: String,
    },
    /// There are more elements than 64 bits count.
    TooLarge,
    /// The results do not fit into memory.
    TooManyResults {
        /// The number of groups.
        groups: u64,
        /// The size of a result, in bytes.
        size: usize,
    },
}

/// Prints one sentence.
impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeError::Rank { input, axes, found } => {
                let plural = if *found == 1 { "" } else { "s" };
                write!(f, "input `{input}` has {found} dimension{plural}, and its axes are `{axes}`")
            }
            ShapeError::Lengths { axis, first: (Some(first), expected), other: (other, found) } => write!(
                f,
                "axis `{axis}` has length {expected} in input `{first}` and length {found} in input `{other}`; they must \
                 be equal"
            ),
            ShapeError::Lengths { axis, first: (None, expected), other: (other, found) } => {
                write!(f, "axis `{axis}` has length {expected}, but length {found} in input `{other}`")
            }
            ShapeError::Split { input, axes, length, by } => write!(
                f,
                "`{axes}` needs a length that is a multiple of {by}, and the dimension of input `{input}` has length \
                 {length}"
            ),
            ShapeError::Unknown { axis } => {
                write!(f, "no input tells the length of axis `{axis}`; write its length, as in `(s 16)`")
            }
            ShapeError::TooLarge => f.write_str("the number of elements does not fit 62 bits"),
            ShapeError::TooManyResults { groups, size } => write!(
                f,
                "there is no memory for {groups} results of {size} bytes; reduce fewer groups in a call, or more axes"
            ),
        }
    }
}

impl std::error::Error for ShapeError {}
