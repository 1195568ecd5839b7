//! `coarsen(k)`: each thread folds k load units, a block apart, before the tree.

use super::{fold_mut, ordered};
use reduce_dsl::program::Program;

/// Each thread folds exactly `units` load units, a block apart, in index order: fewer blocks, and less
/// of the time spent in trees.
///
/// ```text
/// fold thread: 1 x 1 items
/// ->                             coarsen(4)
/// fold thread: 4 x 1 items
/// ```
///
/// Requires an operator that commutes. Changes the association.
///
/// # Errors
/// The reason why it does not apply.
pub fn coarsen(mut program: Program, units: u32) -> Result<Program, String> {
    if let Some(reason) = ordered(&program) {
        return Err(reason);
    }
    program.kernels.iter_mut().filter_map(fold_mut).for_each(|fold| fold.units = units);
    Ok(program)
}
