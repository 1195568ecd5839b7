//! Errors between a specification and CUDA: in the user's schedule, or bugs of this project.

use crate::size::Size;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::program::{self, Program};
use reduce_ir::statements;

/// The reason why a specification does not become a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A pass does not apply at its place in the list.
    #[error("`{pass}` does not apply: {reason}")]
    Refused {
        /// Its position in the list of passes.
        index: usize,
        /// The pass.
        pass: Pass,
        /// The reason, and what to write instead.
        reason: String,
    },
    /// A block needs more shared memory than every architecture has.
    #[error(
        "a block of {block} threads needs {bytes} bytes of shared memory, over the limit of {limit}; use a smaller `block`"
    )]
    SharedMemory {
        /// Threads per block.
        block: u32,
        /// The bytes that it needs.
        bytes: usize,
        /// The bytes that it can have.
        limit: usize,
    },
    /// A name that no kernel can print.
    #[error("{name:?} is not a name; write a letter, then letters, digits and `_`")]
    Name {
        /// The name.
        name: String,
    },
    /// Its kernels are larger than NVRTC compiles in seconds.
    #[error(
        "these kernels are too large to compile: {} times the limit, most of it {}; {fix}",
        times(size.total, *limit), size.largest
    )]
    TooLarge {
        /// The size of the kernels.
        size: Box<Size>,
        /// The greatest size that is accepted.
        limit: u64,
        /// What to write instead.
        fix: String,
    },
    /// Segments on a GPU have no list of passes.
    #[error(
        "on a GPU, segments are reduced by `passes: auto` only; leave `passes` out, or use the device `host`"
    )]
    SegmentsNeedAuto,
    /// The accumulators of a warp do not fit shared memory.
    #[error("the accumulator is too large for segments on a GPU; use the device `host`")]
    SegmentsTooLarge,
    /// The specification has no keys that number groups.
    #[error("the specification has no keys; write them, as in `by: {{ key: u32 }}, groups: 64`")]
    NoKeys,
    /// Elements with keys have no list of passes.
    #[error("elements with keys are reduced by `passes: auto` only; leave `passes` out")]
    KeysNeedAuto,
    /// The partials of a group need several launches.
    #[error(
        "on a GPU, this version combines by keys neither large accumulators nor in a fixed order of elements; use the device `host`"
    )]
    KeysTooLarge,
    /// A program broke a rule of the verifier after a step: a bug of reducegen.
    #[error("this is a bug in reducegen, please report it: after {step}, {violation}\n{program}")]
    Program {
        /// The step.
        step: String,
        /// The rule.
        violation: program::Violation,
        /// The program.
        program: Box<Program>,
    },
    /// A lowered kernel broke a rule of the verifier: a bug of reducegen.
    #[error("this is a bug in reducegen, please report it: after lowering, {violation}\n{text}")]
    Lowered {
        /// The rule.
        violation: statements::Violation,
        /// The program and its statements.
        text: String,
    },
}

/// Checks the names that emitted text prints, because anyone can make an operation.
pub(crate) fn check_names(operation: &Operation) -> Result<(), Error> {
    operation.unprintable_name().map_or(Ok(()), |name| Err(Error::Name { name: name.to_owned() }))
}

/// Returns a quotient with one decimal digit, rounded up so that it is more than 1.
fn times(size: u64, limit: u64) -> String {
    let tenths = size.div_ceil(limit / 10);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Settles and verifies a program that `step` made.
pub(crate) fn verified(program: Program, step: impl ToString) -> Result<Program, Error> {
    check_names(&program.operation)?;
    let program = program.settled();
    let limit = program::LIMITS.shared;
    let bytes = program.kernels.iter().map(|kernel| program.shared_bytes(kernel)).max().unwrap_or(0);
    if bytes > limit {
        return Err(Error::SharedMemory { block: program.block, bytes, limit });
    }
    match program.verify() {
        Ok(()) => Ok(program),
        Err(violation) => {
            Err(Error::Program { step: step.to_string(), violation, program: Box::new(program) })
        }
    }
}
