//! What runs: the statements that a program expands to, read by the CUDA printer and the interpreter.
//!
//! ```text
//! kernel = name, streaming, dependent, constants, shared arrays, stmt*
//! stmt   = let | var | set local = expr
//!        | for local = expr while expr next expr { stmt* } | if expr { stmt* } else { stmt* } | exit
//!        | load local = place | load unaligned local = place | store place = expr
//!        | post place = expr | take local = place
//!        | expect shared, expr | send place = expr | receive shared
//!        | shuffle local = expr down expr, mask | redux local where expr
//!        | barrier warp, mask | barrier block | barrier cluster | arrive | wait
//!        | vote local = expr | fence order scope | await launch | trigger launch
//!        | atomic local = op(place, expr) order scope | atomic combine(place, expr) order scope
//!        | note part text
//! place  = buffer [ expr ] of rank      buffer = input k | items | partials | result | ticket | shared
//! expr   = literal | constant | local | local.lane | thread | block | grid | rank | n | groups | first(expr) | elements | step k
//!        | param k | aligned buffer | un | bin | cmp | cast | map(…) | combine(a, b) | fold(a, …) | empty
//!        | finish(a, …)
//! ```
//!
//! Threads are in the units of CUDA: every thread of a block runs the same statements. Scalars have the
//! operations of [`crate::ops`]; accumulators are opaque and only `map`, `combine`, `fold`, `empty` and `finish`
//! make or use them, which is why the interpreter can run a kernel on trees of positions as well as on
//! values.

mod build;
mod expr;
#[cfg(feature = "parse")]
pub(crate) mod parse;
mod print;
mod verify;

pub use expr::Expr;
#[cfg(feature = "parse")]
pub use parse::ParseError;
pub use verify::Violation;

use crate::program::{Reads, Scope};
use crate::{Domain, Scalar};

/// A program after lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    /// The kernels, in the order of the program.
    pub kernels: [LoweredKernel; 2],
}

/// A kernel after lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredKernel {
    /// Its name in CUDA.
    pub name: &'static str,
    /// What its items are.
    pub reads: Reads,
    /// Threads per block.
    pub block: u32,
    /// Blocks of a cluster: 1 where blocks do not see each other's shared memory.
    pub cluster: u32,
    /// Do its vector loads say that nobody reads the elements again?
    pub streaming: bool,
    /// May it begin while the previous launch still runs?
    pub dependent: bool,
    /// Of which elements: it is told the number of groups, and the steps between elements.
    pub domain: Domain,
    /// Named numbers.
    pub constants: Vec<Constant>,
    /// Arrays of accumulators in shared memory.
    pub shared: Vec<Shared>,
    /// What each thread does.
    pub body: Vec<Stmt>,
}

impl LoweredKernel {
    /// The value of a constant; 0 for one that is not declared, which the verifier refuses.
    pub fn constant(&self, name: &str) -> u32 {
        self.constants.iter().find(|it| it.name == name).map_or(0, |it| it.value)
    }
}

/// A named number, of type `u32`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name, in capitals.
    pub name: &'static str,
    /// Its value.
    pub value: u32,
    /// The value in terms of the constants before it.
    pub formula: String,
    /// What it counts, and which pass chose it.
    pub note: String,
}

/// An array of accumulators in shared memory, uninitialised at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Its name.
    pub name: &'static str,
    /// The constant that is its length.
    pub len: &'static str,
    /// Do they come as messages? Then nothing else writes them.
    pub sent: bool,
}

/// The type of a local or expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// A scalar.
    Scalar(Scalar),
    /// Several consecutive elements of an input, loaded at once.
    Vector(Scalar, u32),
    /// An accumulator.
    Acc,
    /// A result.
    Output,
}

impl Ty {
    /// Lengths and positions inside a block.
    pub const U32: Ty = Ty::Scalar(Scalar::U32);
    /// Positions in an input.
    pub const U64: Ty = Ty::Scalar(Scalar::U64);
    /// Conditions.
    pub const BOOL: Ty = Ty::Scalar(Scalar::Bool);
}

/// What an unaligned vector is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Its elements.
    Element,
    /// Of elements smaller than that, whole words of 4 bytes: those that it lies in, and where it ends with a word, one
    /// more. So up to 3 bytes before it and 4 behind are read as well.
    Word,
}

/// A named value of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name, which nothing else has while it is bound.
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// A remark for readers. What follows, up to the next one, is that part of the kernel.
    Note(Part, String),
    /// Names a value.
    Let(Local, Expr),
    /// Names a value that `Set` may change.
    Var(Local, Expr),
    /// Changes a variable.
    Set(Local, Expr),
    /// Repeats `body` while `test` holds; `local` starts at `from` and becomes `next` after each turn.
    For(Box<Loop>),
    /// Runs one of two bodies.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Ends the thread.
    Exit,
    /// Names what a place holds: one element, or a vector of as many as the local's type says.
    Load(Local, Place),
    /// Names a vector that an input holds from any element on, and reads it by its [`Chunk`]s.
    LoadUnaligned(Local, Place),
    /// Writes a place.
    Store(Place, Expr),
    /// Leaves an accumulator in a place that holds none, together with a flag. It orders nothing else.
    Post(Place, Expr),
    /// Names the accumulator that another block leaves in a place, waits for it, and leaves none there.
    Take(Local, Place),
    /// Says how many messages this block gets in an array: once, by one thread, before it arrives.
    Expect(&'static str, Expr),
    /// Sends an accumulator to a place of another block of the cluster, or of this one. It orders nothing else, and is seen by
    /// who receives it.
    Send(Place, Expr),
    /// Waits until all messages that this block expects in an array have come, and sees them.
    Receive(&'static str),
    /// Names what an accumulator of the lane `down` lanes further up the warp holds; a lane that has no
    /// such lane gets its own. The lanes of the mask meet, and take part.
    Shuffle {
        /// What it names.
        into: Local,
        /// The accumulator of this lane.
        value: Expr,
        /// The distance, in lanes.
        down: Expr,
        /// The lanes that take part, one bit each.
        mask: u32,
    },
    /// Makes a variable what the accumulators of the warp combine to, of those lanes for which a condition holds: see
    /// [`crate::redux`]. All lanes of the warp meet, and get it; where the condition holds for none, it is undefined.
    Redux(Local, Option<Expr>),
    /// All its threads meet, and see each other's writes.
    Barrier(Barrier),
    /// This thread runs, as threads of the cluster that wait may know.
    Arrive,
    /// Waits until all threads of the cluster have arrived. Orders no memory operations.
    Wait,
    /// All threads of the block meet, and see each other's writes; names whether a condition held for any of them.
    Vote(Local, Expr),
    /// Orders this thread's memory operations as others of the scope see them.
    Fence(MemoryOrder, Scope),
    /// Waits until the previous launch is done, and sees what it wrote.
    AwaitLaunch,
    /// Lets the next launch begin as far as this block is concerned; one that has ended does so, too.
    TriggerLaunch,
    /// Names what a ticket held before this operation on it.
    Atomic {
        /// What it names.
        into: Local,
        /// The operation.
        op: AtomicOp,
        /// The ticket.
        place: Place,
        /// The operand.
        value: Expr,
        /// How it orders other operations.
        order: MemoryOrder,
        /// Who sees it as atomic.
        scope: Scope,
    },
    /// What a place holds, combined with an accumulator, in one step.
    AtomicCombine {
        /// The place: it holds an accumulator before the launch.
        place: Place,
        /// The accumulator, on the right side.
        value: Expr,
        /// How it orders other operations.
        order: MemoryOrder,
        /// Who sees it as atomic.
        scope: Scope,
    },
}

/// A part of a kernel, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Each thread reads its items and folds them.
    Fold,
    /// Accumulators move to where the tree reads them.
    Stage,
    /// Threads combine their accumulators.
    Tree,
    /// The block's accumulator leaves it.
    Deliver,
}

/// Which threads a barrier is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    /// These lanes of a warp, one bit each.
    Warp(u32),
    /// The block.
    Block,
    /// The blocks of a cluster.
    Cluster,
}

impl Barrier {
    /// All lanes of a warp.
    pub const WARP: Barrier = Barrier::Warp(FULL);
}

/// The mask of all lanes of a warp.
pub const FULL: u32 = u32::MAX;

/// A counted loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The counter, of type `u32` or `u64`.
    pub local: Local,
    /// Its first value.
    pub from: Expr,
    /// Goes on while this holds.
    pub test: Expr,
    /// Its next value.
    pub next: Expr,
    /// How the compiler should unroll it.
    pub unroll: Unroll,
    /// What it repeats.
    pub body: Vec<Stmt>,
}

/// How a loop is unrolled. What it computes does not depend on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// As the compiler likes.
    Unsaid,
    /// So many turns at once.
    By(u32),
    /// All turns, of which there is a known number.
    All,
}

/// An element of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The buffer.
    pub buffer: Buffer,
    /// The position: `u64` in global memory, `u32` in shared memory.
    pub index: Expr,
    /// In shared memory: the rank, in its cluster, of the block whose array it is. Its own without one.
    pub rank: Option<Box<Expr>>,
}

/// Memory a kernel can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// An input, by its position among the inputs.
    Input(usize),
    /// The partials that the kernel reads.
    Items,
    /// The partials that the kernel writes.
    Partials,
    /// The result: one.
    Result,
    /// A counter in global memory that is 0 before the launch.
    Ticket,
    /// An array in shared memory.
    Shared(&'static str),
}

/// The order that a fence or atomic imposes (PTX ISA, memory consistency model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// None.
    Relaxed,
    /// Later operations stay behind it.
    Acquire,
    /// Earlier operations stay before it.
    Release,
    /// Both.
    AcqRel,
}

/// An atomic operation on a `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Adds.
    Add,
    /// Replaces.
    Exchange,
    /// Adds 1, but behind the operand comes 0.
    Increment,
}
