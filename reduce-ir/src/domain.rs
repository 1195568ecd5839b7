//! The groups of a reduction: which elements form a group, and where they lie. Each group becomes one result.

use std::fmt;

/// How elements form groups. Output `g` is the one-dimensional reduction of the elements of group `g`, in index order. Its bits
/// are those that the same specification gives these elements alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Domain {
    /// The number of axes that are kept, after merging: 0 if all elements are one group, 1 if each row of a matrix is a group.
    pub kept: u8,
    /// Where the elements of a group lie.
    pub access: Access,
}

impl Domain {
    /// The domain in which all elements are one group.
    pub const WHOLE: Domain = Domain { kept: 0, access: Access::Contiguous };

    /// The domain in which all elements are one group, with a step between neighbours.
    pub const STRIDED: Domain =
        Domain { kept: 0, access: Access::Strided { reduced: 1, beside: Beside::No } };

    /// The domain in which each row of a row-major matrix is a group.
    pub const ROWS: Domain = Domain { kept: 1, access: Access::Contiguous };

    /// Returns whether an axis is kept, so that there may be several groups.
    pub fn is_grouped(self) -> bool {
        self.kept > 0
    }

    /// Returns whether the elements of a group lie side by side, so that one load can read several.
    pub fn is_adjacent(self) -> bool {
        match self.access {
            Access::Contiguous | Access::Adjacent => true,
            Access::Strided { .. } => false,
        }
    }

    /// Returns the domain of many groups: as many lie side by side as a kernel can use.
    #[must_use]
    pub fn of_many(self) -> Domain {
        match self.access {
            Access::Contiguous | Access::Adjacent | Access::Strided { beside: Beside::No, .. } => self,
            Access::Strided { reduced, .. } => {
                Domain { access: Access::Strided { reduced, beside: Beside::Many }, ..self }
            }
        }
    }

    /// Returns the number of axes for which the call gives a step of each input: the kept axes, then the reduced ones.
    pub fn steps(self) -> usize {
        match self.access {
            Access::Contiguous => 0,
            Access::Adjacent => self.kept.into(),
            Access::Strided { reduced, .. } => usize::from(self.kept) + usize::from(reduced),
        }
    }

    /// Returns the axes whose lengths the call gives: all but the slowest kept axis and the slowest reduced one.
    pub fn sizes(self) -> impl Iterator<Item = usize> + Clone {
        let kept = usize::from(self.kept);
        (1..self.steps()).filter(move |&axis| axis != kept)
    }
}

/// Where the elements of a group lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// Side by side, and the groups one after the other.
    #[default]
    Contiguous,
    /// Side by side. The call gives the steps between groups.
    Adjacent,
    /// Steps apart. The call gives the steps between groups and between elements.
    Strided {
        /// The number of axes of a group, after merging.
        reduced: u8,
        /// Whether neighbouring groups lie side by side, so that neighbouring threads can read an element of each. It changes no
        /// kernel, only the choice among kernels.
        beside: Beside,
    },
}

/// Prints the words of programs: `contiguous`, `adjacent`, `strided`, `strided over 2 axes`, `strided beside many`.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Contiguous => f.write_str("contiguous"),
            Access::Adjacent => f.write_str("adjacent"),
            Access::Strided { reduced, beside } => {
                f.write_str("strided")?;
                if *reduced != 1 {
                    write!(f, " over {reduced} axes")?;
                }
                write!(f, "{beside}")
            }
        }
    }
}

/// How many groups lie side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Beside {
    /// None.
    #[default]
    No,
    /// At most this many: 4, 8 or 16.
    Narrow(u8),
    /// More than 16, of few groups in all.
    Few,
    /// More than 16, of many groups.
    Many,
}

impl Beside {
    /// The least number of groups that are many: enough for every multiprocessor of a large GPU.
    pub const MANY: u64 = 1 << 13;

    /// Returns the class of groups of which so many lie side by side.
    pub fn of(beside: u64, groups: u64) -> Beside {
        match beside {
            0..=4 => Beside::Narrow(4),
            5..=8 => Beside::Narrow(8),
            9..=16 => Beside::Narrow(16),
            _ if groups < Beside::MANY => Beside::Few,
            _ => Beside::Many,
        }
    }

    /// Returns every class in which groups lie side by side.
    pub const ALL: [Beside; 5] =
        [Beside::Narrow(4), Beside::Narrow(8), Beside::Narrow(16), Beside::Few, Beside::Many];
}

/// Prints nothing, or the words of programs: ` beside few`.
impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Beside::No => Ok(()),
            Beside::Narrow(most) => write!(f, " beside {most}"),
            Beside::Few => f.write_str(" beside few"),
            Beside::Many => f.write_str(" beside many"),
        }
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
