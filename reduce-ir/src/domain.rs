//! Which elements meet, and where they lie: how they form groups, each of which becomes one result.

use std::fmt;

/// How elements form groups. Output `g` is the one-dimensional reduction of the elements of group `g`, in index order: its bits
/// are those that the same specification gives these elements alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Domain {
    /// How many axes are kept: 0 where all elements are one group, and 1 where rows of a row-major matrix are the groups.
    pub kept: u8,
    /// Where the elements of a group lie.
    pub access: Access,
}

impl Domain {
    /// All elements are one group.
    pub const WHOLE: Domain = Domain { kept: 0, access: Access::Contiguous };

    /// All elements are one group, with a step between them.
    pub const STRIDED: Domain = Domain { kept: 0, access: Access::Strided };

    /// Each row of a row-major matrix is a group.
    pub const ROWS: Domain = Domain { kept: 1, access: Access::Contiguous };

    /// Are there several groups?
    pub fn is_grouped(self) -> bool {
        self.kept > 0
    }

    /// Is there a step between the elements of an input?
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
    /// One after the other.
    #[default]
    Contiguous,
    /// A step apart, which is given at the call for each input.
    Strided,
}

/// As it is written: `contiguous`, or `strided`.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Contiguous => "contiguous",
            Access::Strided => "strided",
        })
    }
}

/// How many elements there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Groups.
    pub groups: u64,
    /// Elements of a group.
    pub length: u64,
}

impl Extent {
    /// Elements of all groups; saturates for numbers of elements that no memory holds.
    pub fn elements(self) -> u64 {
        self.groups.saturating_mul(self.length)
    }
}

/// One group of that many elements.
impl From<u64> for Extent {
    fn from(length: u64) -> Extent {
        Extent { groups: 1, length }
    }
}
