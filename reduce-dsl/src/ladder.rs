//! The ladder: the optimisation steps from a naive reduction to one that is bound by memory bandwidth. Each
//! rung is a specification and a list of passes.
//!
//! The rungs and the published figures come from five public write-ups, called A to E in `docs/ladder.md`: two
//! tutorials of NVIDIA's seven steps (A, B), an article on warp shuffles (C), a textbook chapter (D) and notes
//! on the seven steps (E).

mod rungs;
mod spec;

pub use rungs::RUNGS;
pub use spec::{STEP, Unfit};

use reduce_ir::pass::Pass;
use reduce_ir::program::LIMITS;

/// One rung of the ladder.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The number of the rung, from 1.
    pub number: u32,
    /// The name of the rung.
    pub name: &'static str,
    /// One line that describes the kernel.
    pub what: &'static str,
    /// The passes of the rung.
    pub passes: &'static [Pass],
    /// The rule that chooses the block size.
    pub block: Block,
    /// The difference between this rung's specification and that of the other rungs.
    pub twist: Twist,
    /// The times that the sources published.
    pub published: &'static [Published],
}

/// The number of threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The block size of the whole ladder.
    Given,
    /// Half the elements, so that one block covers all of them: the single block of a textbook.
    HalfOfElements,
    /// One warp.
    Warp,
}

/// A difference of a rung from the others, apart from its passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    /// No difference.
    None,
    /// `order: any`.
    AnyOrder,
    /// Another operator on another type.
    OtherOperator,
    /// A number of elements that no block size divides.
    AnyLength,
    /// The absolute values of strided elements.
    StridedAbs,
}

/// A time that a source published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The source: `B` or `E`, the two that publish times.
    pub source: char,
    /// The number of `f32` elements.
    pub n: u64,
    /// The time in microseconds.
    pub us: f64,
}

impl Rung {
    /// Returns the block size in threads for n elements; `given` is the block size of the other rungs.
    pub fn block(&self, n: u64, given: u32) -> u32 {
        let (least, most) = (*LIMITS.block.start(), *LIMITS.block.end());
        match self.block {
            Block::Given => given,
            Block::HalfOfElements if n >= 2 * u64::from(most) => most,
            Block::HalfOfElements => (n.div_ceil(2) as u32).next_power_of_two().clamp(least, most),
            Block::Warp => least,
        }
    }
}
