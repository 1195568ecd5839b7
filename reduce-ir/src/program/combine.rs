//! A combination: several items of a scope become one, by a tree, through a medium.

use std::fmt;

/// Every `items` consecutive items of the scope become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Combine {
    /// The threads that take part.
    pub scope: Scope,
    /// The number of items that become one: lanes of a thread, threads of a warp, threads or warps of a block.
    pub items: u32,
    /// The shape of the tree.
    pub tree: Tree,
    /// The medium through which accumulators move.
    pub medium: Medium,
    /// How the levels of the tree are evaluated.
    pub lowering: Lowering,
    /// Whether the steps inside the first warp are unrolled, with warp barriers instead of block barriers.
    pub last_warp: bool,
}

impl Combine {
    /// Sets the lowering, unless the current one ranks higher.
    pub fn raise(&mut self, lowering: Lowering) {
        self.lowering = self.lowering.max(lowering);
    }
}

/// How the levels of a tree are evaluated, in ascending rank. If passes ask for two lowerings, the higher one is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lowering {
    /// In a loop.
    Loop,
    /// One after the other, unrolled.
    Unrolled,
    /// All levels of a warp at once, by `redux.sync`. Every order of the operation must give the same bits.
    WarpReduce,
    /// In the registers of one thread, which has all items.
    SerialTail,
}

/// The threads that take part in a combination, or that observe a memory operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// One thread.
    Thread,
    /// 32 threads.
    Warp,
    /// The threads that share shared memory and a barrier.
    Block,
    /// Blocks that access each other's shared memory (sm_90).
    Cluster,
    /// All blocks of a launch.
    Grid,
}

/// The shape of a combination of k items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    /// `((a0 a1) a2) a3`.
    Serial,
    /// Item i is combined with item i + k/2, then i + k/4, …: `(a0 a2) (a1 a3)`.
    Halving,
    /// Neighbours are combined, then neighbouring pairs, …: `(a0 a1) (a2 a3)`.
    Pairs,
    /// The order in which the items arrive: it may differ from run to run.
    Any,
}

/// The medium of a combination inside a block or cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Medium {
    /// The registers of one thread.
    Registers,
    /// `__shfl_down_sync`; at block scope the warps' values pass through shared memory once.
    Shuffle,
    /// A tree in shared memory with a barrier at each level.
    Shared(Addressing),
    /// A tree in place, in the workspace, with a barrier at each level; each thread has two items.
    Global(Addressing),
    /// Shuffles in the first block of the cluster. Each block leaves its accumulator in the shared memory of that block.
    Distributed,
}

/// Which threads of a tree in memory are active, and which item each of them combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// `thread % (2 * stride) == 0`: divergent.
    Modulo,
    /// `(thread & (2 * stride - 1)) == 0`: the same threads, without a division.
    Bitmask,
    /// Item `2 * stride * thread`, while it exists: the first threads, with bank conflicts.
    StridedIndex,
    /// The same, with item `i` in slot `i ^ i / 32`, or `i ^ i / 16` for wide items: the first threads, without bank conflicts.
    Swizzled,
    /// `thread < stride`: the first threads.
    Sequential,
}

impl Addressing {
    /// All addressings.
    pub const ALL: [Addressing; 5] = [
        Addressing::Modulo,
        Addressing::Bitmask,
        Addressing::StridedIndex,
        Addressing::Swizzled,
        Addressing::Sequential,
    ];

    /// Returns the shape of a tree with this addressing.
    pub fn tree(self) -> Tree {
        match self {
            Addressing::Modulo | Addressing::Bitmask | Addressing::StridedIndex | Addressing::Swizzled => {
                Tree::Pairs
            }
            Addressing::Sequential => Tree::Halving,
        }
    }

    /// Returns its text in programs, and the passes that choose it.
    fn words(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Addressing::Modulo => ("modulo addressing", &[]),
            Addressing::Bitmask => ("bit mask addressing", &["bitmask"]),
            Addressing::StridedIndex => ("strided index", &["strided_index"]),
            Addressing::Swizzled => ("swizzled index", &["strided_index", "swizzle"]),
            Addressing::Sequential => ("sequential addressing", &["sequential"]),
        }
    }

    /// Returns the passes that choose it.
    pub fn passes(self) -> &'static [&'static str] {
        self.words().1
    }
}

impl fmt::Display for Addressing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().0)
    }
}
