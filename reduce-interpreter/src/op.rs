//! The operations of flat code, and what they name.

use super::expr::{AccExpr, ScalarExpr};
use reduce_ir::program::Scope;
use reduce_ir::statements::{AtomicOp, Barrier, Chunk, MemoryOrder};

/// One step of a warp. Jumps forward leave a branch or loop, jumps backward repeat a loop, so lanes that are
/// furthest behind have the lowest position.
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
    /// Lanes where it does not hold go on at `otherwise`.
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
    /// An accumulator and a flag.
    Post {
        at: At,
        value: AccExpr,
    },
    /// The lanes wait for the accumulators of all of them.
    Take {
        into: usize,
        at: At,
    },
    /// So many messages will come.
    Expect {
        messages: ScalarExpr,
    },
    Send {
        at: At,
        value: AccExpr,
    },
    /// The lanes wait until they have all come.
    Receive,
    StoreTicket {
        index: ScalarExpr,
        value: ScalarExpr,
    },
    Shuffle {
        into: usize,
        value: AccExpr,
        down: ScalarExpr,
        mask: u32,
    },
    /// Where the condition holds; everywhere without one.
    Redux {
        acc: usize,
        there: Option<ScalarExpr>,
    },
    Barrier(Barrier),
    Arrive,
    Wait,
    /// A barrier of the block; the register holds what this thread says, and then whether any thread says so.
    Vote {
        into: usize,
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
    /// Does it touch memory that outlives the launch?
    pub(super) fn is_global(&self) -> bool {
        match self {
            Op::LoadAcc { at, .. } | Op::StoreAcc { at, .. } | Op::AtomicCombine { at, .. } => at.is_global(),
            Op::Elements { .. } | Op::Post { .. } | Op::Take { .. } => true,
            Op::LoadTicket { .. } | Op::StoreTicket { .. } | Op::Atomic { .. } => true,
            Op::Scalar { .. } | Op::Acc { .. } | Op::Branch { .. } | Op::Jump(_) | Op::Exit => false,
            Op::Shuffle { .. } | Op::Redux { .. } | Op::Barrier(_) | Op::Arrive | Op::Wait => false,
            Op::Expect { .. } | Op::Send { .. } | Op::Receive => false,
            Op::Vote { .. } | Op::Fence(..) | Op::AwaitLaunch | Op::TriggerLaunch => false,
        }
    }
}

/// Elements that go to as many registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    pub(super) input: usize,
    pub(super) count: u32,
    /// What they are read by, where they are not read at once.
    pub(super) unaligned: Option<Chunk>,
}

/// A place that holds an accumulator.
#[derive(Debug)]
pub(super) struct At {
    pub(super) array: Array,
    pub(super) index: ScalarExpr,
    /// In shared memory: whose.
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
    /// By its position among the arrays that the kernel declares.
    Shared(usize),
}
