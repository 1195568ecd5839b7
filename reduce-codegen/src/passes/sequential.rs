//! `sequential`: the tree in shared memory halves its stride.

use super::{combines_mut, ordered};
use reduce_dsl::program::{Addressing, Medium, Program, Tree};

/// The tree in shared memory halves its stride instead of doubling it, so that the active threads are the
/// first ones: whole warps retire, and neighbouring threads read neighbouring words.
///
/// ```
/// # use reduce_codegen::{lower::lower, passes::*};
/// # use reduce_dsl::{Scalar, func::Param, operators::operator, program::Program};
/// # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
/// # let naive = lower(&max, 256).unwrap();
/// # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
/// assert_eq!(steps(&naive)[1], "combine block: 256 items by pairs through shared memory, modulo addressing");
/// assert_eq!(
///     steps(&sequential(naive).unwrap())[1],
///     "combine block: 256 items by halving through shared memory, sequential addressing"
/// );
/// ```
///
/// Requires an operator that commutes. Changes the association. Comes before `shuffle`, which leaves no
/// tree in shared memory.
///
/// # Errors
/// The reason why it does not apply.
pub fn sequential(mut program: Program) -> Result<Program, String> {
    if let Some(reason) = ordered(&program) {
        return Err(reason);
    }
    let mut found = false;
    for combine in program.kernels.iter_mut().flat_map(combines_mut) {
        if combine.medium == Medium::Shared(Addressing::Modulo) {
            (combine.tree, combine.medium) = (Tree::Halving, Medium::Shared(Addressing::Sequential));
            found = true;
        }
    }
    let reason =
        "no tree goes through shared memory any more; write `sequential` before `shuffle`, or leave it out";
    if found { Ok(program) } else { Err(reason.to_owned()) }
}
