//! The operations of flat code, and their operands.

use super::expr::{AccExpr, ScalarExpr};
use super::numbers::Numbers;
use reduce_ir::program::Scope;
use reduce_ir::statements::{AtomicOp, Barrier, Chunk, MemoryOrder};

/// One step of a warp. Forward jumps leave a branch or loop, and backward jumps repeat a loop. So the lanes that
/// are furthest behind have the lowest position.
#[derive(Debug)]
pub(super) enum Op {
    Scalar {
        into: usize,
        value: ScalarExpr,
    },
    Acc {
        into: usize,
        value: AccExpr,
    },
    /// Lanes where the test fails continue at `otherwise`.
    Branch {
        test: ScalarExpr,
        otherwise: usize,
    },
    Jump(usize),
    Elements {
        into: usize,
        elements: Elements,
        index: ScalarExpr,
    },
    LoadAcc {
        into: usize,
        at: At,
    },
    LoadTicket {
        into: usize,
        index: ScalarExpr,
    },
    StoreAcc {
        at: At,
        value: AccExpr,
    },
    /// Stores an accumulator and a flag.
    Post {
        at: At,
        value: AccExpr,
    },
    /// Waits until the accumulators of all lanes are there.
    Take {
        into: usize,
        at: At,
    },
    /// Declares the expected number of messages.
    Expect {
        messages: ScalarExpr,
    },
    Send {
        at: At,
        value: AccExpr,
    },
    /// Waits until all expected messages have been delivered.
    Receive,
    StoreTicket {
        index: ScalarExpr,
        value: ScalarExpr,
    },
    LoadNumber {
        into: usize,
        array: Numbers,
        index: ScalarExpr,
    },
    StoreNumber {
        array: Numbers,
        index: ScalarExpr,
        value: ScalarExpr,
    },
    /// Makes a list empty.
    Clear(usize),
    Append {
        list: usize,
        value: ScalarExpr,
    },
    /// Reads the length of a list.
    Length {
        into: usize,
        list: usize,
    },
    /// Records a segment whose offsets are wrong.
    Fault(ScalarExpr),
    Shuffle {
        into: usize,
        value: AccExpr,
        down: ScalarExpr,
        mask: u32,
    },
    /// Combines the accumulators of the lanes where the condition holds, or of all lanes without a condition.
    Redux {
        acc: usize,
        predicate: Option<ScalarExpr>,
    },
    /// The turn of each lane among those with the same value, and the number of turns.
    Turn {
        turn: usize,
        turns: usize,
        value: ScalarExpr,
    },
    Barrier(Barrier),
    Arrive,
    Wait,
    /// A barrier of the block. The register holds the condition of this thread before, and whether it holds for any
    /// thread after.
    Vote {
        into: usize,
    },
    /// The lanes for which the condition holds.
    Ballot {
        into: usize,
        test: ScalarExpr,
    },
    /// A barrier of the block. The first register holds the value of this thread before, and the sum of the values of lower threads after;
    /// the second one the sum of all.
    Prefix {
        before: usize,
        total: usize,
    },
    Fence(MemoryOrder, Scope),
    AwaitLaunch,
    TriggerLaunch,
    Atomic {
        into: usize,
        op: AtomicOp,
        index: ScalarExpr,
        value: ScalarExpr,
        order: MemoryOrder,
        scope: Scope,
    },
    AtomicCombine {
        at: At,
        value: AccExpr,
        order: MemoryOrder,
        scope: Scope,
    },
    Exit,
}

impl Op {
    /// Returns whether the operation accesses memory that outlives the launch.
    pub(super) fn is_global(&self) -> bool {
        match self {
            Op::LoadAcc { at, .. } | Op::StoreAcc { at, .. } | Op::AtomicCombine { at, .. } => at.is_global(),
            Op::Elements { .. } | Op::Post { .. } | Op::Take { .. } => true,
            Op::LoadTicket { .. } | Op::StoreTicket { .. } | Op::Atomic { .. } => true,
            Op::LoadNumber { array, .. } | Op::StoreNumber { array, .. } => {
                !matches!(array, Numbers::List(_))
            }
            Op::Fault(_) => true,
            Op::Clear(_) | Op::Append { .. } | Op::Length { .. } => false,
            Op::Scalar { .. } | Op::Acc { .. } | Op::Branch { .. } | Op::Jump(_) | Op::Exit => false,
            Op::Turn { .. } | Op::Ballot { .. } | Op::Prefix { .. } => false,
            Op::Shuffle { .. } | Op::Redux { .. } | Op::Barrier(_) | Op::Arrive | Op::Wait => false,
            Op::Expect { .. } | Op::Send { .. } | Op::Receive => false,
            Op::Vote { .. } | Op::Fence(..) | Op::AwaitLaunch | Op::TriggerLaunch => false,
        }
    }
}

/// Elements of an input, and their number, for a load into consecutive registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    pub(super) input: usize,
    pub(super) count: u32,
    /// The unit of the loads if the elements are not loaded at once.
    pub(super) unaligned: Option<Chunk>,
}

/// A place that holds an accumulator.
#[derive(Debug)]
pub(super) struct At {
    pub(super) array: Array,
    pub(super) index: ScalarExpr,
    /// The rank of the block, for shared memory of another block.
    pub(super) rank: Option<ScalarExpr>,
}

impl At {
    fn is_global(&self) -> bool {
        !matches!(self.array, Array::Shared(_))
    }
}

/// An array of accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    Items,
    Partials,
    Result,
    /// A shared array, by its position among the arrays that the kernel declares.
    Shared(usize),
}
