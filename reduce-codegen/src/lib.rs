//! How a reduction becomes CUDA. Pure functions, in the order of the data:
//!
//! [`schedule`] (spec → naive program) → [`passes`] (program → program) → [`lower()`] (program → statements)
//! → [`cuda()`] (statements → CUDA C). Every program is verified after every step; a failure there is a
//! bug of this project and says so, with the program.
#![forbid(unsafe_code)]

mod cuda;
mod error;
mod lower;
mod names;
pub mod passes;
mod programs;
pub mod schedule;
mod size;
mod tuning;

pub use cuda::{NVRTC_FLAGS, cuda, cuda_kernels, most_registers};
pub use error::Error;
pub use lower::lower;
pub use programs::Programs;
pub use size::{Inlined, LARGEST, Size, check_size, size};
pub use tuning::ASSOCIATION;
pub use tuning::Tuning;

use reduce_ir::Spec;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;

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

/// The program of a specification, after all its passes: with `passes: auto`, the one for the most elements.
///
/// # Errors
/// A pass that does not apply, or a kernel that does not fit a block.
pub fn compile(spec: &Spec) -> Result<Program, Error> {
    let variant = programs::variant_of(spec, Tuning::DEFAULT, u64::MAX);
    programs::compile(spec, &variant)
}

/// The program that [`compile`] gives after each of its passes, the naive program first.
///
/// # Errors
/// As [`compile`].
pub fn stages(spec: &Spec) -> Result<Vec<Stage>, Error> {
    stages_for(spec, Tuning::DEFAULT, u64::MAX)
}

/// The program of a specification for n elements after each of its passes, the naive program first.
///
/// # Errors
/// As [`compile`].
pub fn stages_for(spec: &Spec, tuning: Tuning, n: u64) -> Result<Vec<Stage>, Error> {
    let variant = programs::variant_of(spec, tuning, n);
    let mut stages = vec![Stage { pass: None, program: programs::begin(spec, &variant)? }];
    for &pass in &variant.passes {
        let program = stages[stages.len() - 1].program.clone();
        stages.push(Stage { pass: Some(pass), program: passes::apply(program, pass)? });
    }
    Ok(stages)
}
