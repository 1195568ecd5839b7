//! The ladder: how a reduction goes from naive to bound by the memory bus, one rung after another, each a
//! specification and a list of passes.
//!
//! The rungs, and the figures set beside ours, are those of five public write-ups, called A to E in
//! `docs/ladder.md`: two tutorials of NVIDIA's seven steps (A, B), an article on warp shuffles (C), a textbook
//! chapter (D) and notes on the seven steps (E).

mod rungs;
mod spec;

pub use rungs::RUNGS;
pub use spec::{STEP, Unfit};

use reduce_ir::pass::Pass;
use reduce_ir::program::LIMITS;

/// A rung.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// Its place, from 1.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// What its kernel does, in one line.
    pub what: &'static str,
    /// Its passes.
    pub passes: &'static [Pass],
    /// How its block is chosen.
    pub block: Block,
    /// What makes its specification another one than that of the ladder.
    pub twist: Twist,
    /// What the sources measured.
    pub published: &'static [Published],
}

/// Threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// As many as the ladder is climbed with.
    Given,
    /// Half the elements, so that one block has all of them: the single block of a textbook.
    HalfOfElements,
    /// One warp.
    Warp,
}

/// What is different about a rung, other than its passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    /// Nothing.
    None,
    /// `order: any`.
    AnyOrder,
    /// Another operator on another type.
    OtherOperator,
    /// A number of elements that nothing divides.
    AnyLength,
    /// The absolute values of strided elements.
    StridedAbs,
}

/// A figure that a source printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The source: `B` or `E`, which print times.
    pub source: char,
    /// Elements, of `f32`.
    pub n: u64,
    /// Microseconds.
    pub us: f64,
}

impl Rung {
    /// Threads of a block, for n elements where the others have `given`.
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
