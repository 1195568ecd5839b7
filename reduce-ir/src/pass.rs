//! The words of `passes: […]` as data: names, arguments, what each does. The rewriting is in reduce-codegen.

use std::fmt;

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

/// Has an argument been written?
macro_rules! argument {
    () => {
        None
    };
    ($argument:expr) => {
        Some($argument)
    };
}

/// Makes [`Pass`] and [`PASSES`] of a table: the variant, with the argument and what it may be, if it takes one; the word; does
/// it change the association; what it does, in one line.
macro_rules! passes {
    ($($variant:ident $(($k:ident: $number:ident in $allowed:pat, $text:literal))?
        = $name:literal, $association:ident, $doc:literal;)+) => {
        /// One pass, with its argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Pass {
            $(#[doc = concat!("`", $name, "`: ", $doc, ".")] $variant $(($number))?,)+
        }

        /// The passes, one row each, in the order in which a kernel usually grows.
        pub const PASSES: [PassWord; [$($name),+].len()] = [$(PassWord {
            name: $name,
            argument: argument!($(PassArgument { allowed: |$k| matches!($k, $allowed), text: $text })?),
            doc: $doc,
            changes_association: $association,
            make: |_argument| Pass::$variant $(($number::from(_argument)))?,
        }),+];

        impl Pass {
            /// The word.
            pub fn name(self) -> &'static str {
                match self {
                    $(Pass::$variant { .. } => $name,)+
                }
            }

            /// The argument, if it takes one.
            pub fn argument(self) -> Option<u32> {
                match self {
                    $(Pass::$variant $(($k))? => argument!($($k)?),)+
                }
            }
        }
    };
}

const CHANGES: bool = true;
const KEEPS: bool = false;

passes! {
    Serial = "serial", CHANGES,
        "one thread folds everything";
    InPlace = "in_place", CHANGES,
        "the tree works in global memory, on a copy of the mapped elements";
    Bitmask = "bitmask", KEEPS,
        "the tree in memory finds its active threads with a bit mask instead of a division";
    StridedIndex = "strided_index", KEEPS,
        "the tree in memory gives its items to the first threads, which stay together, with bank conflicts";
    Sequential = "sequential", CHANGES,
        "the tree in memory halves its stride, so that active threads stay together";
    LastWarp = "last_warp", KEEPS,
        "the steps of the tree inside the first warp are written out and meet at warp barriers";
    Shuffle = "shuffle", CHANGES,
        "trees inside a warp go through registers, with one block barrier left";
    Coarsen(k: u32 in 1..=1024, "a number in 1..=1024") = "coarsen", CHANGES,
        "each thread folds k units, a block apart, before the tree";
    GridStride(k: u32 in 1..=65536, "a number in 1..=65536") = "grid_stride", CHANGES,
        "each thread folds every unit that a grid of at most that many blocks comes across";
    Unroll = "unroll", KEEPS,
        "trees are written out step by step and the fold loop is unrolled";
    Vectorize(k: u32 in 2 | 4 | 8 | 16, "2, 4, 8 or 16") = "vectorize", CHANGES,
        "each load unit is k consecutive elements, loaded up to 16 bytes at a time";
    Lanes(k: u32 in 1 | 2 | 4 | 8, "1, 2, 4 or 8") = "lanes", CHANGES,
        "each thread has k accumulators, which the elements of a load unit share";
    Rows = "rows", CHANGES,
        "warps whose operator does not commute read their units side by side, and combine row after row";
    Streaming = "streaming", KEEPS,
        "vector loads tell the cache that nobody reads the elements again";
    Near = "near", KEEPS,
        "positions in accumulators are kept in 32 bits inside a tile, or where all of them fit";
    Redux = "redux", KEEPS,
        "trees over warps become one instruction, for integers, extremes and positions; needs sm_80";
    Gather = "gather", KEEPS,
        "one thread takes what warps, or blocks of a cluster, leave, and combines it in its registers";
    Atomic = "atomic", CHANGES,
        "each block combines its accumulator into one with an atomic; needs `order: any` where order shows";
    Cluster(k: u32 in 2 | 4 | 8 | 16, "2, 4, 8 or 16") = "cluster", CHANGES,
        "k neighbouring blocks meet through distributed shared memory; needs sm_90";
    OneBlock = "one_block", CHANGES,
        "the kernel over partials is one block, which folds all of them";
    Ticket = "ticket", KEEPS,
        "the block that finishes last does what the kernel over partials would, in the same launch";
    Flag = "flag", KEEPS,
        "partials carry flags, for which the block that starts last waits, so that tickets are taken at the start";
    Dependent = "dependent", KEEPS,
        "a kernel may begin while the previous launch is ending, and waits for that; needs sm_90";
    Trigger = "trigger", KEEPS,
        "a kernel whose blocks have folded items lets the next launch begin; needs sm_90";
}

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

/// As it is written: `coarsen(4)`.
impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.argument().map_or(Ok(()), |k| write!(f, "({k})"))
    }
}
