//! What happens, statement by statement, for whoever wants to watch.

use reduce_ir::statements::{Part, Stmt};

/// A statement that lanes of a warp have executed together. A loop or branch is an event for each test.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The kernel.
    pub kernel: &'static str,
    /// The blocks of the launch.
    pub grid: u64,
    /// The items of the launch: no two launches of a kernel have as many.
    pub items: u64,
    /// The block.
    pub block: u64,
    /// The warp of the block.
    pub warp: u32,
    /// The lanes, one bit each.
    pub lanes: u32,
    /// The part of the kernel.
    pub part: Part,
    /// The statement.
    pub statement: &'a Stmt,
    /// For accesses to memory: each lane, and the element it accesses.
    pub elements: &'a [(usize, u64)],
}
