//! The groups of a reduction: which elements form a group, and where they lie. Each group becomes one result.

use std::fmt;

/// How elements form groups. Output `g` is the one-dimensional reduction of the elements of group `g`, in index order. Its bits
/// are those that the same specification gives these elements alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Domain {
    /// The number of axes that are kept: 0 if all elements are one group, 1 if each row of a row-major matrix is a group.
    pub kept: u8,
    /// Where the elements of a group lie.
    pub access: Access,
}

impl Domain {
    /// The domain in which all elements are one group.
    pub const WHOLE: Domain = Domain { kept: 0, access: Access::Contiguous };

    /// The domain in which all elements are one group, with a step between neighbours.
    pub const STRIDED: Domain = Domain { kept: 0, access: Access::Strided };

    /// The domain in which each row of a row-major matrix is a group.
    pub const ROWS: Domain = Domain { kept: 1, access: Access::Contiguous };

    /// Returns whether an axis is kept, so that there may be several groups.
    pub fn is_grouped(self) -> bool {
        self.kept > 0
    }

    /// Returns whether there is a step between the elements of an input.
    pub fn is_strided(self) -> bool {
        match self.access {
            Access::Contiguous => false,
            Access::Strided => true,
        }
    }
}

/// Where the elements of a group lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// Side by side.
    #[default]
    Contiguous,
    /// A step apart; the call gives the step of each input.
    Strided,
}

/// Prints the word of the specification: `contiguous` or `strided`.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Contiguous => "contiguous",
            Access::Strided => "strided",
        })
    }
}

/// The number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// The number of groups.
    pub groups: u64,
    /// The number of elements in each group.
    pub length: u64,
}

impl Extent {
    /// Returns the number of elements in all groups. Saturates for numbers of elements that no memory holds.
    pub fn elements(self) -> u64 {
        self.groups.saturating_mul(self.length)
    }
}

/// Makes one group of that many elements.
impl From<u64> for Extent {
    fn from(length: u64) -> Extent {
        Extent { groups: 1, length }
    }
}
