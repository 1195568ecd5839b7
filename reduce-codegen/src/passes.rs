//! The passes of reduce-passes, applied and verified.

use crate::error::{Error, verified};
use reduce_ir::pass::Pass;
use reduce_ir::program::{Program, Size, Team};
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

/// Gives the elements of a group to a team of that size, and verifies the result.
///
/// # Errors
/// The steps before do not fit the team.
pub fn team(program: Program, size: Size) -> Result<Program, Error> {
    let name = format!("team({})", Team { size, logical: 1 });
    let rewritten = reduce_passes::team(program, size);
    let rewritten = rewritten.map_err(|reason| Error::Unfit { name: name.clone(), reason })?;
    verified(rewritten, name)
}
