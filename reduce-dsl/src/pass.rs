//! The words of `passes: […]` as data: names, arguments, what each does. The rewriting is in reduce-codegen.

use std::fmt;

/// One pass, with its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// The tree in shared memory halves its stride: active threads stay together.
    Sequential,
    /// Trees inside a warp go through registers, `__shfl_down_sync`.
    Shuffle,
    /// Each thread folds that many units, a block apart, before the tree.
    Coarsen(u32),
    /// Trees are written out step by step, the fold loop is unrolled.
    Unroll,
    /// Each load unit is that many consecutive elements, loaded up to 16 bytes at a time.
    Vectorize(u32),
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
pub const PASSES: [PassWord; 5] = [
    PassWord {
        name: "sequential",
        argument: None,
        doc: "the tree in shared memory halves its stride, so that active threads stay together",
        changes_association: true,
        make: |_| Pass::Sequential,
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
            Pass::Sequential => "sequential",
            Pass::Shuffle => "shuffle",
            Pass::Coarsen(_) => "coarsen",
            Pass::Unroll => "unroll",
            Pass::Vectorize(_) => "vectorize",
        }
    }

    /// The argument, if it takes one.
    pub fn argument(self) -> Option<u32> {
        match self {
            Pass::Coarsen(k) | Pass::Vectorize(k) => Some(k),
            Pass::Sequential | Pass::Shuffle | Pass::Unroll => None,
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
