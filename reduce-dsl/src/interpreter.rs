//! The interpreter: what an expanded program means on a machine without a GPU.
//!
//! It runs the launches of the plan on a [`Domain`]: on [`Values`], which gives the result, or on
//! [`Provenance`], where an accumulator is the tree of positions it was made of, which gives the
//! association. All threads of a block run in lock-step, one block after the other: one schedule of those
//! that a GPU may choose. It checks what that schedule can show: bounds and alignment of every access,
//! reads of memory nothing wrote, uses of accumulators that hold no element, barriers and shuffles that
//! not all threads reach.

mod domain;
mod machine;
mod memory;
mod provenance;

pub use domain::{Domain, Values};
pub use provenance::{Origin, Provenance};

use crate::expanded::Expanded;
use crate::lanes::{LaneError, Lanes};
use crate::program::{Launch, Program, Reads, Region};
use machine::Machine;

/// What an execution must not do, found at a statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An access outside its buffer.
    #[error("`{statement}` reaches element {index} of {len}")]
    OutOfBounds {
        /// The statement.
        statement: String,
        /// The element.
        index: u64,
        /// The length of the buffer.
        len: u64,
    },
    /// A vector access to an address that is no multiple of its size.
    #[error("`{statement}` is misaligned")]
    Misaligned {
        /// The statement.
        statement: String,
    },
    /// A thread used an accumulator that holds no element, or read memory that nothing wrote.
    #[error("`{statement}` uses an accumulator that was never set, in thread {thread}")]
    Undefined {
        /// The statement.
        statement: String,
        /// The first such thread of the block.
        thread: usize,
    },
    /// A barrier or shuffle that some threads of its scope do not reach.
    #[error("`{statement}` is not reached by all threads it needs")]
    Divergent {
        /// The statement.
        statement: String,
    },
    /// Elements of different positions met in one `map`.
    #[error("`map` was given elements of different positions")]
    MixedPositions,
    /// The program did not write its result.
    #[error("the program did not write its result")]
    NoResult,
    /// A name that the verifier would have refused.
    #[error("`{0}` is not bound")]
    Unbound(String),
    /// An operation on lanes of wrong types, which the verifier would have refused.
    #[error(transparent)]
    Lanes(#[from] LaneError),
}

/// Inputs, and where they lie.
#[derive(Clone, Debug)]
pub struct Input {
    /// The memory from the first element on, in the domain's representation.
    pub elements: Lanes,
    /// The distance between neighbouring elements: 1 where the input is contiguous.
    pub step: u64,
    /// Whether the first element lies at a multiple of 16 bytes.
    pub aligned: bool,
}

/// Runs an expanded program on n elements; gives the accumulator whose `finish` is the result.
///
/// # Errors
/// The first fault of the execution: a bug of this project, or an operation without identity on nothing.
pub fn run<D: Domain>(
    program: &Program,
    expanded: &Expanded,
    domain: &mut D,
    inputs: &[Input],
    n: u64,
) -> Result<D::Accs, Fault> {
    let plan = program.plan();
    let mut regions = [domain.undefined(0), domain.undefined(0)];
    let mut result = domain.undefined(1);
    for launch in plan.launches(n) {
        let from = std::mem::replace(&mut regions[slot(launch.from)], domain.undefined(0));
        let kernel = &expanded.kernels[launch.kernel as usize];
        let left = launch.leaves.unwrap_or(0) as usize;
        let initial = plan.starts_from_identity() && launch.kernel == Reads::Inputs;
        let partials = if initial { domain.empty(left) } else { domain.undefined(left) };
        let memory = memory::Memory { inputs, items: from, partials, result, ticket: vec![0] };
        let mut machine = Machine::new(program, kernel, domain, memory, launch.items, launch.grid);
        machine.grid()?;
        let memory = machine.into_memory();
        result = memory.result;
        store(&mut regions, launch, memory.partials);
    }
    if domain.defined(&result, 0) { Ok(result) } else { Err(Fault::NoResult) }
}

fn slot(region: Region) -> usize {
    match region {
        Region::Even => 0,
        Region::Odd => 1,
    }
}

fn store<A>(regions: &mut [A; 2], launch: Launch, partials: A) {
    regions[slot(launch.to)] = partials;
}
