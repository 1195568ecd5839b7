//! Which elements meet: how they form groups, each of which becomes one result.

/// How elements form groups. Output `g` is the one-dimensional reduction of the elements of group `g`, in index order: its bits
/// are those that the same specification gives these elements alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Domain {
    /// How many axes are kept: 0 where all elements are one group, and 1 where rows of a row-major matrix are the groups.
    pub kept: u8,
}

impl Domain {
    /// All elements are one group.
    pub const WHOLE: Domain = Domain { kept: 0 };

    /// Each row of a row-major matrix is a group.
    pub const ROWS: Domain = Domain { kept: 1 };
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
