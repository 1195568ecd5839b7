//! A combination: so many items of a scope become one, in a tree, through some medium.

use std::fmt;

/// Every `items` consecutive items of the scope become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Combine {
    /// Who takes part.
    pub scope: Scope,
    /// How many items become one: lanes of a thread, threads of a warp, threads or warps of a block.
    pub items: u32,
    /// In which shape.
    pub tree: Tree,
    /// Through what.
    pub medium: Medium,
    /// How its levels are taken.
    pub lowering: Lowering,
    /// Do the steps inside the first warp meet at warp barriers, written out, instead of block barriers?
    pub last_warp: bool,
}

impl Combine {
    /// Takes its levels so, unless they are taken in a way that is further down.
    pub fn raise(&mut self, lowering: Lowering) {
        self.lowering = self.lowering.max(lowering);
    }
}

/// How the levels of a tree are taken. Of two ways that passes ask for, the one further down is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lowering {
    /// In a loop.
    Loop,
    /// One after the other, written out.
    Unrolled,
    /// All of a warp at once, through `redux.sync`: the operation is one for which every order gives the same bits.
    WarpReduce,
    /// In the registers of one thread, which has all items.
    SerialTail,
}

/// Who takes part in a combination, or sees a memory operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// One thread.
    Thread,
    /// 32 threads.
    Warp,
    /// The threads that share shared memory and a barrier.
    Block,
    /// Blocks that see each other's shared memory (sm_90).
    Cluster,
    /// All blocks of a launch.
    Grid,
}

/// The shape of a combination of k items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    /// `((a0 a1) a2) a3`.
    Serial,
    /// Item i meets item i + k/2, then i + k/4, …: `(a0 a2) (a1 a3)`.
    Halving,
    /// Neighbours meet, then neighbouring pairs, …: `(a0 a1) (a2 a3)`.
    Pairs,
    /// In the order in which they happen to come: no two runs need agree.
    Any,
}

/// What a combination inside a block or cluster goes through.
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
    /// Shuffles of the cluster's first block, in whose shared memory each block leaves its accumulator.
    Distributed,
}

/// Which threads of a tree in memory are active, and which item is theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// `thread % (2 * stride) == 0`: divergent.
    Modulo,
    /// `(thread & (2 * stride - 1)) == 0`: the same threads, without a division.
    Bitmask,
    /// Item `2 * stride * thread`, while there is one: the first threads, with bank conflicts.
    StridedIndex,
    /// The same, with item `i` in slot `i ^ i / 32`, or `i ^ i / 16` of wide items: the first threads, without bank conflicts.
    Swizzled,
    /// `thread < stride`: the first threads.
    Sequential,
}

impl Addressing {
    /// Every addressing.
    pub const ALL: [Addressing; 5] = [
        Addressing::Modulo,
        Addressing::Bitmask,
        Addressing::StridedIndex,
        Addressing::Swizzled,
        Addressing::Sequential,
    ];

    /// The shape of a tree that is addressed so.
    pub fn tree(self) -> Tree {
        match self {
            Addressing::Modulo | Addressing::Bitmask | Addressing::StridedIndex | Addressing::Swizzled => {
                Tree::Pairs
            }
            Addressing::Sequential => Tree::Halving,
        }
    }

    /// Its text in programs, and the passes that choose it.
    fn words(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Addressing::Modulo => ("modulo addressing", &[]),
            Addressing::Bitmask => ("bit mask addressing", &["bitmask"]),
            Addressing::StridedIndex => ("strided index", &["strided_index"]),
            Addressing::Swizzled => ("swizzled index", &["strided_index", "swizzle"]),
            Addressing::Sequential => ("sequential addressing", &["sequential"]),
        }
    }

    /// The passes that choose it.
    pub fn passes(self) -> &'static [&'static str] {
        self.words().1
    }
}

impl fmt::Display for Addressing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().0)
    }
}
