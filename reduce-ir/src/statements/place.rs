//! Memory that statements name, and the order of accesses to it.

use super::Expr;
use crate::scalar::Scalar;

/// An element of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The buffer.
    pub buffer: Buffer,
    /// The position: `u64` in global memory, `u32` in shared memory.
    pub index: Expr,
    /// In shared memory, the rank in its cluster of the block that has the array. `None`: this block.
    pub rank: Option<Box<Expr>>,
}

/// Memory that a kernel can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Buffer {
    /// An input, by its position among the inputs.
    Input(usize),
    /// The partials that the kernel reads.
    Items,
    /// The partials that the kernel writes.
    Partials,
    /// The results, one for each group.
    Result,
    /// A counter in global memory that is 0 before the launch.
    Ticket,
    /// An array in shared memory.
    Shared(&'static str),
    /// The offsets that cut the elements into segments, of this type: `u32` or `u64`.
    Offsets(Scalar),
    /// The first segment of each tile, and after the last tile the number of segments, `u64`.
    Tiles,
    /// For each tile: 0, or the number of the segment with several partials that begins there, plus 1. `u64`.
    LongSegments,
    /// A list in shared memory.
    List(&'static str),
    /// Whether a run begins at each key: a bit for each of 32 keys, `u32`.
    Marks,
    /// The key of each run, of this type.
    Keys(Scalar),
    /// The number of segments, one `u64`.
    Number,
}

/// The order that a fence or atomic imposes (PTX ISA, memory consistency model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// No order.
    Relaxed,
    /// Later operations stay after it.
    Acquire,
    /// Earlier operations stay before it.
    Release,
    /// Both of these.
    AcqRel,
}

/// An atomic operation on a `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Adds the operand.
    Add,
    /// Stores the operand.
    Exchange,
    /// Adds 1; a value that is not less than the operand becomes 0.
    Increment,
}
