//! How a reduction becomes CUDA. Pure functions, in the order of the data:
//!
//! [`lower`] (spec → naive program) → [`passes`] (program → program) → [`expand()`] (program → statements)
//! → [`cuda()`] (statements → CUDA C). Every program is verified after every step; a failure there is a
//! bug of this project and says so, with the program.
#![forbid(unsafe_code)]

mod auto;
mod cuda;
mod error;
mod expand;
#[cfg(feature = "ladder")]
pub mod ladder;
pub mod lower;
pub mod passes;

pub use auto::ASSOCIATION;
pub use cuda::{NVRTC_FLAGS, cuda, cuda_kernels};
pub use error::Error;
pub use expand::expand;

use reduce_dsl::Spec;
use reduce_dsl::pass::Pass;
use reduce_dsl::program::Program;

/// A program and the pass that made it from the one before; none for the naive program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The pass.
    pub pass: Option<Pass>,
    /// The program after it, verified.
    pub program: Program,
}

impl Stage {
    /// What the stage is called: `naive`, or the pass as it is written.
    pub fn name(&self) -> String {
        self.pass.map_or("naive".to_owned(), |pass| pass.to_string())
    }
}

/// The program of a specification, after all its passes.
///
/// # Errors
/// A pass that does not apply, or a kernel that does not fit a block.
pub fn compile(spec: &Spec) -> Result<Program, Error> {
    let (naive, passes) = start(spec)?;
    passes.iter().enumerate().try_fold(naive, |program, (index, &pass)| passes::apply(program, pass, index))
}

/// The program of a specification after each of its passes, the naive program first.
///
/// # Errors
/// As [`compile`].
pub fn stages(spec: &Spec) -> Result<Vec<Stage>, Error> {
    let (naive, passes) = start(spec)?;
    let mut stages = vec![Stage { pass: None, program: naive }];
    for (index, &pass) in passes.iter().enumerate() {
        let program = stages[index].program.clone();
        stages.push(Stage { pass: Some(pass), program: passes::apply(program, pass, index)? });
    }
    Ok(stages)
}

/// The naive program, and the passes to apply to it.
fn start(spec: &Spec) -> Result<(Program, Vec<Pass>), Error> {
    let (block, passes) = auto::schedule(spec);
    Ok((lower::lower(&spec.operation, block)?, passes))
}
