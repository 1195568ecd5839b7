//! Application of the passes of reduce-passes, with verification.

use crate::error::{Error, verified};
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
pub use reduce_passes::{Argument, PASSES, Rule, named};

/// Applies the next pass of the list, and verifies the result.
///
/// # Errors
/// The pass does not apply.
pub fn apply(program: Program, pass: Pass) -> Result<Program, Error> {
    let index = program.passes.len();
    let refused = |reason| Error::Refused { index, pass, reason };
    verified(reduce_passes::rewrite(program, pass).map_err(refused)?, pass)
}
