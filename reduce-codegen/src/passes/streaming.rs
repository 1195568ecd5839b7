//! `streaming`: elements that are read once need no place in the cache.

use super::fold_mut;
use reduce_dsl::program::{Program, Reads};

/// The vector loads of the kernel over inputs are `ld.global.cs`, evicted first: worth half a percent where the data is
/// larger than the cache, and a loss where the next kernel reads it again.
///
/// ```
/// # use reduce_codegen::{lower::lower, passes::*};
/// # use reduce_dsl::{Scalar, func::Param, operators::operator, program::Program};
/// # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
/// # let naive = lower(&max, 256).unwrap();
/// # let steps = |kernel: usize, program: &Program| program.kernels[kernel].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
/// let program = streaming(vectorize(naive, 4).unwrap()).unwrap();
/// assert_eq!(steps(0, &program)[0], "fold thread: 1 x 4 items, streaming");
/// ```
///
/// Requires `vectorize` before it. Never changes the association.
///
/// # Errors
/// The reason why it does not apply.
pub fn streaming(mut program: Program) -> Result<Program, String> {
    let fold = fold_mut(&mut program.kernels[Reads::Inputs as usize]).filter(|fold| fold.width > 1);
    let fold = fold.ok_or("only vector loads say so; write `vectorize` before `streaming`")?;
    fold.streaming = true;
    Ok(program)
}
