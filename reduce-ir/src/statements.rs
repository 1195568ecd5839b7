//! The statements of kernels: lowering makes them of a program, and the CUDA printer and the interpreter read them.
//!
//! ```text
//! kernel = name, streaming, dependent, constants, shared arrays, lists, stmt*
//! stmt   = let | var | set local = expr
//!        | move buffer by expr
//!        | for local = expr while expr next expr { stmt* } | if expr { stmt* } else { stmt* } | exit
//!        | load local = place | load unaligned local = place | store place = expr
//!        | post place = expr | take local = place
//!        | expect shared, expr | send place = expr | receive shared
//!        | shuffle local = expr down expr, mask | redux local where expr
//!        | barrier warp, mask | barrier block | barrier cluster | arrive | wait
//!        | vote local = expr | fence order scope | await launch | trigger launch
//!        | clear list | append list, expr | length local = list | fault expr | turn local, local = expr
//!        | ballot local = expr | prefix local, local = expr
//!        | atomic local = op(place, expr) order scope | atomic combine(place, expr) order scope
//!        | note part text
//! place  = buffer [ expr ] of rank
//! buffer = input k | items | partials | result | ticket | shared | offsets | tiles | long_segments | list
//!        | marks | keys | number
//! expr   = literal | constant | local | local.lane | thread | block | grid | rank | n | groups | first(expr) | elements | size k
//!        | offset(input k, axis: expr, …) | param k | aligned buffer | aligned place | un | bin | cmp | cast | map(…) | slot_of(…) | combine(a, b) | fold(a, …) | empty
//!        | finish(a, …)
//! ```
//!
//! As in CUDA, every thread of a block runs the same statements. Scalars have the operations of [`crate::ops`]. Accumulators are
//! opaque: only `map`, `combine`, `fold`, `empty` and `finish` make or use them. So the interpreter can run a kernel on trees of
//! positions as well as on values.

mod build;
mod expr;
#[cfg(feature = "parse")]
pub(crate) mod parse;
mod place;
mod print;
mod rewrite;
mod verify;

pub use expr::Expr;
#[cfg(feature = "parse")]
pub use parse::ParseError;
pub use place::{AtomicOp, Buffer, MemoryOrder, Place};
pub use rewrite::{Rewriting, rewrite, rewrite_expr};
pub use verify::Violation;

use crate::program::{Reads, Scope};
use crate::{Domain, Scalar};

/// A program after lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    /// The kernels, in the order of the program.
    pub kernels: Vec<LoweredKernel>,
}

/// A kernel after lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredKernel {
    /// Its name in CUDA.
    pub name: &'static str,
    /// The kind of its items.
    pub reads: Reads,
    /// Threads per block.
    pub block: u32,
    /// The number of blocks in a cluster: 1 if blocks do not access each other's shared memory.
    pub cluster: u32,
    /// Whether its vector loads tell the cache that no thread reads the elements again.
    pub streaming: bool,
    /// Whether it may begin while the previous launch still runs.
    pub dependent: bool,
    /// The number of blocks that a multiprocessor should hold at once. The compiler limits the registers of a thread accordingly. `None`:
    /// no limit.
    pub resident: Option<u32>,
    /// The groups of elements. They decide whether it gets the number of groups, and the steps between elements.
    pub domain: Domain,
    /// Named numbers.
    pub constants: Vec<Constant>,
    /// Arrays of accumulators in shared memory.
    pub shared: Vec<Shared>,
    /// Lists of numbers in shared memory.
    pub lists: Vec<List>,
    /// The statements of each thread.
    pub body: Vec<Stmt>,
}

impl LoweredKernel {
    /// Returns the value of a constant; 0 for an undeclared one, which the verifier refuses.
    pub fn constant(&self, name: &str) -> u32 {
        self.constants.iter().find(|it| it.name == name).map_or(0, |it| it.value)
    }

    /// Returns all statements, each before the statements that it contains.
    pub fn statements(&self) -> Vec<&Stmt> {
        let mut found = Vec::new();
        list(&self.body, &mut found);
        found
    }
}

fn list<'k>(stmts: &'k [Stmt], found: &mut Vec<&'k Stmt>) {
    for stmt in stmts {
        found.push(stmt);
        if let Stmt::If(_, then, otherwise) = stmt {
            list(then, found);
            list(otherwise, found);
        } else if let Stmt::For(it) = stmt {
            list(&it.body, found);
        }
    }
}

/// A named number, of type `u32`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The name, in capitals.
    pub name: &'static str,
    /// The value.
    pub value: u32,
    /// The value in terms of the constants before it.
    pub formula: String,
    /// A remark: the quantity that it counts, and the pass that chose it.
    pub note: String,
}

/// An array of accumulators in shared memory, uninitialised at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The name.
    pub name: &'static str,
    /// The constant that is the length.
    pub len: &'static str,
    /// Whether its accumulators arrive as messages. Nothing else then writes them.
    pub sent: bool,
}

/// A list in shared memory: numbers of type `u32`, and their count. Threads append in any order, or store at places of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The name.
    pub name: &'static str,
    /// The constant that is the greatest count. Numbers beyond it are dropped.
    pub most: &'static str,
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
    /// The type of lengths, and of positions inside a block.
    pub const U32: Ty = Ty::Scalar(Scalar::U32);
    /// The type of positions in an input.
    pub const U64: Ty = Ty::Scalar(Scalar::U64);
    /// The type of conditions.
    pub const BOOL: Ty = Ty::Scalar(Scalar::Bool);
}

/// The unit in which an unaligned vector is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// One element.
    Element,
    /// Aligned words of 4 bytes, for smaller elements: the words that contain the vector, and one more if the vector ends with a
    /// word. So up to 3 bytes before the vector and 4 after it are read as well.
    Word,
}

/// A named value of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// The name, which nothing else has while it is bound.
    pub name: String,
    /// The type.
    pub ty: Ty,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// A remark for readers. The statements up to the next remark are that part of the kernel.
    Note(Part, String),
    /// Names a value.
    Let(Local, Expr),
    /// Names a value that `Set` may change.
    Var(Local, Expr),
    /// Changes a variable.
    Set(Local, Expr),
    /// Moves the pointer to the items of a buffer, by a number of items. Positions in the buffer then count from there.
    Move(Buffer, Expr),
    /// Repeats `body` while `test` holds; `local` starts at `from` and becomes `next` after each turn.
    For(Box<Loop>),
    /// Runs one of two bodies.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Ends the thread.
    Exit,
    /// Names the value of a place: one element, or a vector of the length that the local's type says.
    Load(Local, Place),
    /// Names a vector that begins at any element of an input, and reads it in [`Chunk`]s.
    LoadUnaligned(Local, Place),
    /// Writes a place.
    Store(Place, Expr),
    /// Writes an accumulator and a flag to a place that holds none. It orders no other operation.
    Post(Place, Expr),
    /// Names the accumulator that another block posts to a place: waits for it, and clears the place.
    Take(Local, Place),
    /// Declares the number of messages that this block receives in an array: once, by one thread, before it arrives.
    Expect(&'static str, Expr),
    /// Sends an accumulator to a place of another block of the cluster, or of this one. It orders no other operation. The receiver
    /// sees the accumulator.
    Send(Place, Expr),
    /// Waits until all messages that this block expects in an array have arrived, and sees them.
    Receive(&'static str),
    /// Names the accumulator of the lane that is `down` lanes further up the warp, or the lane's own if there is no such lane. The
    /// lanes of the mask take part, and wait for each other.
    Shuffle {
        /// The local that it names.
        into: Local,
        /// The accumulator of this lane.
        value: Expr,
        /// The distance, in lanes.
        down: Expr,
        /// The mask of the lanes that take part, one bit each.
        mask: u32,
    },
    /// Sets a variable to the combination of the warp's accumulators, from the lanes for which a condition holds: see
    /// [`crate::redux`]. All lanes of the warp take part and get it. It is undefined if the condition holds for no lane.
    Redux(Local, Option<Expr>),
    /// All threads of the barrier wait for each other, and see each other's writes.
    Barrier(Barrier),
    /// Signals to waiting threads of the cluster that this thread runs.
    Arrive,
    /// Waits until all threads of the cluster have arrived. Orders no memory operations.
    Wait,
    /// All threads of the block wait for each other, and see each other's writes. Names whether a condition held for any of them.
    Vote(Local, Expr),
    /// Orders this thread's memory operations, as threads of the scope observe them.
    Fence(MemoryOrder, Scope),
    /// Waits until the previous launch is complete, and sees its writes.
    AwaitLaunch,
    /// Lets the next launch begin, as far as this block is concerned. The end of a block does the same.
    TriggerLaunch,
    /// Applies an atomic operation to a ticket, and names the value before it.
    Atomic {
        /// The local that it names.
        into: Local,
        /// The operation.
        op: AtomicOp,
        /// The ticket.
        place: Place,
        /// The operand.
        value: Expr,
        /// The order that it imposes on other operations.
        order: MemoryOrder,
        /// The threads for which it is atomic.
        scope: Scope,
    },
    /// Makes a list empty.
    Clear(&'static str),
    /// Appends a number to a list, unless the list is full. Threads of the block may append at the same time.
    Append(&'static str, Expr),
    /// Names the count of a list.
    Length(Local, &'static str),
    /// Records that the segment of this number has offsets that descend, or that leave the data; or that the element at this position
    /// has a key that is no group. The least number stays.
    Fault(Expr),
    /// Names the number of lower lanes of the warp that have the same value, and then the number of turns of the warp: one more than the
    /// greatest of these numbers. All lanes of the warp take part.
    Turn {
        /// The turn of this lane.
        turn: Local,
        /// The number of turns.
        turns: Local,
        /// The value, `u32`.
        value: Expr,
    },
    /// Names the lanes of the warp for which a condition holds, one bit each, `u32`. All lanes of the warp take part.
    Ballot(Local, Expr),
    /// All threads of the block wait for each other. Names the sum of the values of lower threads, and the sum of all, `u32`.
    Prefix {
        /// The sum of the values of lower threads.
        before: Local,
        /// The sum of all values.
        total: Local,
        /// The value of this thread.
        value: Expr,
    },
    /// Combines the value of a place with an accumulator, in one atomic step.
    AtomicCombine {
        /// The place. It holds an accumulator before the launch.
        place: Place,
        /// The accumulator on the right side.
        value: Expr,
        /// The order that it imposes on other operations.
        order: MemoryOrder,
        /// The threads for which it is atomic.
        scope: Scope,
    },
}

/// A part of a kernel. The variants are in the order of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Each thread reads its items and folds them.
    Fold,
    /// Accumulators move to the places from which the tree reads them.
    Stage,
    /// Threads combine their accumulators.
    Tree,
    /// The block's accumulator leaves the block.
    Deliver,
}

/// The threads that a barrier is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    /// The lanes of the mask in a warp, one bit each.
    Warp(u32),
    /// The block.
    Block,
    /// The blocks of a cluster.
    Cluster,
}

impl Barrier {
    /// The barrier of all lanes of a warp.
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
    /// The loop continues while this holds.
    pub test: Expr,
    /// Its next value.
    pub next: Expr,
    /// How the compiler should unroll it.
    pub unroll: Unroll,
    /// The body.
    pub body: Vec<Stmt>,
}

/// How a loop is unrolled. This does not change its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// By the choice of the compiler.
    Unsaid,
    /// By this number of turns.
    By(u32),
    /// Completely; the number of turns is known.
    All,
}
