//! Compiles reductions to CUDA. All functions are pure. In the order of the data:
//!
//! [`schedule`] (operation → naive program) → [`passes`] (program → program) → [`lower()`] (program → statements)
//! → [`cuda()`] (statements → CUDA C++).
//!
//! Every program is verified after every step. A violation is a bug of this project; its message says so and shows the
//! program.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod cuda;
mod error;
pub mod keys;
mod lower;
mod names;
pub mod parts;
pub mod passes;
mod programs;
pub mod runs;
pub mod schedule;
pub mod segments;
mod size;
mod tuning;

pub use cuda::{Lines, NVRTC_FLAGS, cuda, cuda_kernels, cuda_with_lines, most_registers};
pub use error::Error;
pub use lower::lower;
pub use programs::Programs;
pub use size::{Inlined, LARGEST, Size, check_size, size};
pub use tuning::ASSOCIATION;
pub use tuning::Tuning;

use reduce_ir::Spec;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;

/// A program, and the pass that made it. The naive program has no pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The pass.
    pub pass: Option<Pass>,
    /// The program after the pass, verified.
    pub program: Program,
}

impl Stage {
    /// Returns the name of the stage: `naive`, or the pass as it is written.
    pub fn name(&self) -> String {
        self.pass.map_or("naive".to_owned(), |pass| pass.to_string())
    }
}

/// Returns the program of a specification after all its passes. With `passes: auto`, this is the variant for the most
/// elements.
///
/// # Errors
/// A pass does not apply, or a kernel does not fit a block.
pub fn compile(spec: &Spec) -> Result<Program, Error> {
    let variant = programs::variant_of(spec, Tuning::DEFAULT, u64::MAX);
    programs::compile(spec, &variant)
}

/// Returns the program of [`compile`] after each of its passes, beginning with the naive program.
///
/// # Errors
/// The same as for [`compile`].
pub fn stages(spec: &Spec) -> Result<Vec<Stage>, Error> {
    stages_for(spec, Tuning::DEFAULT, u64::MAX)
}

/// Returns the program of a specification for n elements after each of its passes, beginning with the naive program.
///
/// # Errors
/// The same as for [`compile`].
pub fn stages_for(spec: &Spec, tuning: Tuning, n: u64) -> Result<Vec<Stage>, Error> {
    let variant = programs::variant_of(spec, tuning, n);
    let mut stages = vec![Stage { pass: None, program: programs::begin(spec, &variant)? }];
    for &pass in &variant.passes {
        let program = stages[stages.len() - 1].program.clone();
        stages.push(Stage { pass: Some(pass), program: passes::apply(program, pass)? });
    }
    Ok(stages)
}

/// As [`stages_for`], without programs that reduce fewer elements: after `subwarp`, lanes take fewer than after the next pass, `logical`.
///
/// # Errors
/// The same as for [`compile`].
pub fn runnable_stages(spec: &Spec, tuning: Tuning, n: u64) -> Result<Vec<Stage>, Error> {
    let mut stages = stages_for(spec, tuning, n)?;
    let most = stages.last().and_then(|stage| stage.program.up_to).map_or(n, |most| n.min(most));
    stages.retain(|stage| stage.program.up_to.is_none_or(|up_to| most <= up_to));
    Ok(stages)
}
