//! The words of `passes: […]` as data: names, arguments, what each does. The rewriting is in reduce-codegen.

use std::fmt;

/// One pass, with its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// One thread folds everything.
    Serial,
    /// The tree works in the workspace, in place.
    InPlace,
    /// The tree in memory finds its active threads with a mask.
    Bitmask,
    /// The tree in memory gives its items to the first threads.
    StridedIndex,
    /// The tree in memory halves its stride: active threads stay together.
    Sequential,
    /// The steps of the tree inside the first warp are written out and meet at warp barriers.
    LastWarp,
    /// Trees inside a warp go through registers, `__shfl_down_sync`.
    Shuffle,
    /// Each thread folds that many units, a block apart, before the tree.
    Coarsen(u32),
    /// Each thread folds all units that a grid of at most that many blocks comes across.
    GridStride(u32),
    /// Trees are written out step by step, the fold loop is unrolled.
    Unroll,
    /// Each load unit is that many consecutive elements, loaded up to 16 bytes at a time.
    Vectorize(u32),
    /// Each thread has that many accumulators, which the elements of a load unit share.
    Lanes(u32),
    /// Vector loads tell the cache that nobody reads the elements again.
    Streaming,
    /// Positions in accumulators are kept in 32 bits inside a tile, or where all of them fit.
    Near,
    /// The accumulators of a warp are combined by one instruction of the hardware, where it has one (sm_80).
    Redux,
    /// One thread takes what the warps of a block, or the blocks of a cluster, leave, and combines it in its registers.
    Gather,
    /// Each block combines its accumulator into one, with an atomic.
    Atomic,
    /// So many neighbouring blocks combine their accumulators through distributed shared memory (sm_90).
    Cluster(u32),
    /// The kernel over partials is one block, which folds all of them.
    OneBlock,
    /// The block that finishes last does what the kernel over partials would, in the same launch.
    Ticket,
    /// Each partial carries a flag that says that it is there, for which the block waits that takes the last ticket, so that
    /// all take theirs at the start.
    Flag,
    /// Each kernel may begin while the previous launch still runs, and waits for that before all else (sm_90).
    Dependent,
    /// As soon as a warp of each block has folded its items, each kernel lets the next launch begin (sm_90).
    Trigger,
}

/// A row of the table of passes.
#[derive(Clone, Copy, Debug)]
pub struct PassWord {
    /// The word.
    pub name: &'static str,
    /// The argument it takes, if it takes one.
    pub argument: Option<PassArgument>,
    /// One line: what it does.
    pub doc: &'static str,
    /// Does it change the association, and so possibly the bits of a float sum?
    pub changes_association: bool,
    make: fn(u32) -> Pass,
}

/// The argument of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassArgument {
    /// Which numbers are allowed.
    pub allowed: fn(u64) -> bool,
    /// The same in words.
    pub text: &'static str,
}

/// The passes, one row each, in the order in which a kernel usually grows.
pub const PASSES: [PassWord; 23] = [
    PassWord {
        name: "serial",
        argument: None,
        doc: "one thread folds everything",
        changes_association: true,
        make: |_| Pass::Serial,
    },
    PassWord {
        name: "in_place",
        argument: None,
        doc: "the tree works in global memory, on a copy of the mapped elements",
        changes_association: true,
        make: |_| Pass::InPlace,
    },
    PassWord {
        name: "bitmask",
        argument: None,
        doc: "the tree in memory finds its active threads with a bit mask instead of a division",
        changes_association: false,
        make: |_| Pass::Bitmask,
    },
    PassWord {
        name: "strided_index",
        argument: None,
        doc: "the tree in memory gives its items to the first threads, which stay together, with bank conflicts",
        changes_association: false,
        make: |_| Pass::StridedIndex,
    },
    PassWord {
        name: "sequential",
        argument: None,
        doc: "the tree in memory halves its stride, so that active threads stay together",
        changes_association: true,
        make: |_| Pass::Sequential,
    },
    PassWord {
        name: "last_warp",
        argument: None,
        doc: "the steps of the tree inside the first warp are written out and meet at warp barriers",
        changes_association: false,
        make: |_| Pass::LastWarp,
    },
    PassWord {
        name: "shuffle",
        argument: None,
        doc: "trees inside a warp go through registers, with one block barrier left",
        changes_association: true,
        make: |_| Pass::Shuffle,
    },
    PassWord {
        name: "coarsen",
        argument: Some(PassArgument { allowed: |k| (1..=1024).contains(&k), text: "a number in 1..=1024" }),
        doc: "each thread folds k units, a block apart, before the tree",
        changes_association: true,
        make: Pass::Coarsen,
    },
    PassWord {
        name: "grid_stride",
        argument: Some(PassArgument { allowed: |g| (1..=65536).contains(&g), text: "a number in 1..=65536" }),
        doc: "each thread folds every unit that a grid of at most that many blocks comes across",
        changes_association: true,
        make: Pass::GridStride,
    },
    PassWord {
        name: "unroll",
        argument: None,
        doc: "trees are written out step by step and the fold loop is unrolled",
        changes_association: false,
        make: |_| Pass::Unroll,
    },
    PassWord {
        name: "vectorize",
        argument: Some(PassArgument { allowed: |k| [2, 4, 8, 16].contains(&k), text: "2, 4, 8 or 16" }),
        doc: "each load unit is k consecutive elements, loaded up to 16 bytes at a time",
        changes_association: true,
        make: Pass::Vectorize,
    },
    PassWord {
        name: "lanes",
        argument: Some(PassArgument { allowed: |k| [1, 2, 4, 8].contains(&k), text: "1, 2, 4 or 8" }),
        doc: "each thread has k accumulators, which the elements of a load unit share",
        changes_association: true,
        make: Pass::Lanes,
    },
    PassWord {
        name: "streaming",
        argument: None,
        doc: "vector loads tell the cache that nobody reads the elements again",
        changes_association: false,
        make: |_| Pass::Streaming,
    },
    PassWord {
        name: "near",
        argument: None,
        doc: "positions in accumulators are kept in 32 bits inside a tile, or where all of them fit",
        changes_association: false,
        make: |_| Pass::Near,
    },
    PassWord {
        name: "redux",
        argument: None,
        doc: "trees over warps become one instruction, for integers, extremes and positions; needs sm_80",
        changes_association: false,
        make: |_| Pass::Redux,
    },
    PassWord {
        name: "gather",
        argument: None,
        doc: "one thread takes what warps, or blocks of a cluster, leave, and combines it in its registers",
        changes_association: false,
        make: |_| Pass::Gather,
    },
    PassWord {
        name: "atomic",
        argument: None,
        doc: "each block combines its accumulator into one with an atomic; needs `order: any` where order shows",
        changes_association: true,
        make: |_| Pass::Atomic,
    },
    PassWord {
        name: "cluster",
        argument: Some(PassArgument { allowed: |k| [2, 4, 8, 16].contains(&k), text: "2, 4, 8 or 16" }),
        doc: "k neighbouring blocks meet through distributed shared memory; needs sm_90",
        changes_association: true,
        make: Pass::Cluster,
    },
    PassWord {
        name: "one_block",
        argument: None,
        doc: "the kernel over partials is one block, which folds all of them",
        changes_association: true,
        make: |_| Pass::OneBlock,
    },
    PassWord {
        name: "ticket",
        argument: None,
        doc: "the block that finishes last does what the kernel over partials would, in the same launch",
        changes_association: false,
        make: |_| Pass::Ticket,
    },
    PassWord {
        name: "flag",
        argument: None,
        doc: "partials carry flags, for which the block that starts last waits, so that tickets are taken at the start",
        changes_association: false,
        make: |_| Pass::Flag,
    },
    PassWord {
        name: "dependent",
        argument: None,
        doc: "a kernel may begin while the previous launch is ending, and waits for that; needs sm_90",
        changes_association: false,
        make: |_| Pass::Dependent,
    },
    PassWord {
        name: "trigger",
        argument: None,
        doc: "a kernel whose blocks have folded items lets the next launch begin; needs sm_90",
        changes_association: false,
        make: |_| Pass::Trigger,
    },
];

impl PassWord {
    /// The row of that name.
    pub fn named(name: &str) -> Option<&'static PassWord> {
        PASSES.iter().find(|word| word.name == name)
    }

    /// The pass with that argument (0 where it takes none), if the argument is allowed.
    pub fn with(&self, argument: u64) -> Option<Pass> {
        match self.argument {
            None => Some((self.make)(0)),
            Some(rule) => (rule.allowed)(argument).then(|| (self.make)(argument as u32)),
        }
    }
}

impl Pass {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Serial => "serial",
            Pass::InPlace => "in_place",
            Pass::Bitmask => "bitmask",
            Pass::StridedIndex => "strided_index",
            Pass::Sequential => "sequential",
            Pass::LastWarp => "last_warp",
            Pass::Shuffle => "shuffle",
            Pass::Coarsen(_) => "coarsen",
            Pass::GridStride(_) => "grid_stride",
            Pass::Unroll => "unroll",
            Pass::Vectorize(_) => "vectorize",
            Pass::Lanes(_) => "lanes",
            Pass::Streaming => "streaming",
            Pass::Near => "near",
            Pass::Redux => "redux",
            Pass::Gather => "gather",
            Pass::Atomic => "atomic",
            Pass::Cluster(_) => "cluster",
            Pass::OneBlock => "one_block",
            Pass::Ticket => "ticket",
            Pass::Flag => "flag",
            Pass::Dependent => "dependent",
            Pass::Trigger => "trigger",
        }
    }

    /// The argument, if it takes one.
    pub fn argument(self) -> Option<u32> {
        match self {
            Pass::Coarsen(k)
            | Pass::GridStride(k)
            | Pass::Vectorize(k)
            | Pass::Lanes(k)
            | Pass::Cluster(k) => Some(k),
            Pass::Serial | Pass::InPlace | Pass::Bitmask | Pass::StridedIndex | Pass::Sequential => None,
            Pass::LastWarp | Pass::Shuffle | Pass::Unroll | Pass::Atomic => None,
            Pass::Streaming
            | Pass::Near
            | Pass::Redux
            | Pass::Gather
            | Pass::OneBlock
            | Pass::Ticket
            | Pass::Flag
            | Pass::Dependent
            | Pass::Trigger => None,
        }
    }
}

/// As it is written: `coarsen(4)`.
impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.argument().map_or(Ok(()), |k| write!(f, "({k})"))
    }
}
