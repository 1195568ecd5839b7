//! Events for a callback: the executed statements.

use reduce_ir::statements::{Part, Stmt};

/// A statement that lanes of a warp have executed together. A loop or branch is an event for each test.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The number of blocks of the launch.
    pub grid: u64,
    /// The number of items of the launch. It differs between the launches of a kernel.
    pub items: u64,
    /// The number of the block.
    pub block: u64,
    /// The number of the warp in its block.
    pub warp: u32,
    /// The lanes, one bit each.
    pub lanes: u32,
    /// The part of the kernel.
    pub part: Part,
    /// The statement.
    pub statement: &'a Stmt,
    /// The lanes that access memory, each with the index of the element it accesses.
    pub elements: &'a [(usize, u64)],
}
