//! Reports of faults, as sentences.

use std::fmt;

/// A fault at a statement: a correct kernel has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The kind of the fault.
    pub kind: Kind,
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The first line of the statement as printed; empty if the report is about no single statement.
    pub statement: String,
    /// The threads concerned: first those that execute the statement, then those they conflict with or wait for.
    pub threads: Vec<ThreadId>,
    /// The reason, as a sentence.
    pub detail: String,
}

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    /// The number of the block.
    pub block: u64,
    /// The number of the thread in its block.
    pub thread: u32,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Two unordered accesses to a place: at least one of them writes, and at least one is plain.
    Race,
    /// Two accesses that would be ordered if every fence and atomic had grid scope.
    ScopeTooNarrow,
    /// A plain read of a place that another thread updates atomically, and nothing orders the read after the
    /// update.
    Stale,
    /// A barrier that some threads of its scope do not reach: they wait at another one, or have exited.
    Divergence,
    /// Threads that wait for ever.
    Deadlock,
    /// A shuffle that reads a lane outside the mask or one that has exited, or a shuffle by a lane outside the
    /// mask.
    Shuffle,
    /// A read of memory that nothing wrote.
    Uninitialised,
    /// An access outside its buffer, or to the shared memory of a block that may not have started or may have
    /// exited.
    OutOfBounds,
    /// An access to global memory before the thread has waited for the previous launch, in a kernel that may begin
    /// while that launch still runs.
    Early,
    /// A message to a block that does not expect it, or may not expect it yet.
    Unexpected,
    /// A vector access to an address that is not a multiple of its size.
    Misaligned,
    /// Index arithmetic whose result does not fit its type.
    Overflow,
    /// Index arithmetic that divides by zero.
    DivisionByZero,
    /// A use of an accumulator that holds no element.
    Undefined,
    /// Elements of different positions in one `map`.
    MixedPositions,
    /// The program does not write its result.
    NoResult,
    /// The program does not take all partials that carry flags.
    PartialLeft,
    /// The program does not set its ticket back to 0.
    TicketTaken,
    /// A kernel that the verifier would have refused.
    Malformed,
}

impl Kind {
    fn verb(self) -> &'static str {
        match self {
            Kind::Race => "races",
            Kind::ScopeTooNarrow => "synchronises in too narrow a scope",
            Kind::Stale => "may read an old value",
            Kind::Divergence => "is not reached by all required threads",
            Kind::Deadlock => "waits forever",
            Kind::Shuffle => "shuffles with lanes that do not take part",
            Kind::Uninitialised => "reads uninitialised memory",
            Kind::OutOfBounds => "accesses memory outside its buffer",
            Kind::Early => "may run before the previous launch ends",
            Kind::Unexpected => "breaks the message protocol",
            Kind::Misaligned => "is misaligned",
            Kind::Overflow => "overflows",
            Kind::DivisionByZero => "divides by zero",
            Kind::Undefined => "uses an accumulator that holds no element",
            Kind::MixedPositions => "maps elements of different positions",
            Kind::NoResult => "leaves no result",
            Kind::PartialLeft => "leaves partials with flags",
            Kind::TicketTaken => "does not reset its ticket",
            Kind::Malformed => "is malformed",
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kernel, verb) = (self.kernel, self.kind.verb());
        match self.statement.as_str() {
            "" => write!(f, "{kernel} {verb}: {}", self.detail),
            statement => write!(f, "`{statement}` {verb} in {kernel}: {}", self.detail),
        }
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {} of block {}", self.thread, self.block)
    }
}

/// The reports of an execution: each kind at each statement once, and at most [`Reports::MOST`].
#[derive(Default)]
pub(super) struct Reports {
    list: Vec<Report>,
    /// The reported faults by position, including those dropped for an earlier report with the same text.
    known: Vec<(Kind, &'static str, usize)>,
}

impl Reports {
    const MOST: usize = 32;

    /// Returns whether a report of that kind, in that kernel and at that position, would change nothing.
    pub(super) fn knows(&self, kind: Kind, kernel: &'static str, pc: usize) -> bool {
        self.list.len() >= Reports::MOST || self.known.contains(&(kind, kernel, pc))
    }

    /// Adds a report of a statement at a position.
    pub(super) fn add(&mut self, pc: usize, report: Report) {
        self.known.push((report.kind, report.kernel, pc));
        let same = |it: &Report| {
            (it.kind, it.kernel, &it.statement) == (report.kind, report.kernel, &report.statement)
        };
        if self.list.len() < Reports::MOST && !self.list.iter().any(same) {
            self.list.push(report);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn into_list(self) -> Vec<Report> {
        self.list
    }
}
