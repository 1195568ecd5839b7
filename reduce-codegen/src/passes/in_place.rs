//! `in_place`: the tree works in global memory.

use super::combines_mut;
use reduce_dsl::pass::Pass;
use reduce_dsl::program::{Combine, Fold, Medium, Program, Reads, Step};

/// The tree works in place in global memory, each thread on two items: what the kernels of textbooks do before they
/// know shared memory. As inputs are never modified, the first kernel leaves each element's accumulator in the
/// workspace.
///
/// ```
/// # use reduce_codegen::{lower::lower, passes::*};
/// # use reduce_dsl::{Scalar, func::Param, operators::operator, program::Program};
/// # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
/// # let naive = lower(&max, 256).unwrap();
/// # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
/// let in_place = in_place(naive).unwrap();
/// assert_eq!(steps(&in_place), ["fold thread: 1 x 1 items", "keep every thread's item in the workspace"]);
/// assert_eq!(
///     in_place.kernels[1].steps[0].to_string(),
///     "combine block: 512 items by pairs through global memory, modulo addressing"
/// );
/// ```
///
/// Takes the addressing that other words choose. Changes the association.
///
/// # Errors
/// The reason why it does not apply.
pub fn in_place(mut program: Program) -> Result<Program, String> {
    let fold = program.kernel(Reads::Inputs).fold();
    if (fold.reach, fold.width) != (Fold::NAIVE.reach, Fold::NAIVE.width) {
        return Err(format!(
            "a tree in place has one item for each element, and not {fold}; leave {} or `in_place` out",
            folding(&program)
        ));
    }
    if fold.near {
        return Err(
            "what a tree in place keeps has positions of 64 bits; leave `near` or `in_place` out".to_owned()
        );
    }
    if program.kernel(Reads::Inputs).is_atomic() {
        return Err("`atomic` has no launch left for a tree in place; leave one of the two out".to_owned());
    }
    let meets = |pass: &&Pass| matches!(pass, Pass::OneBlock | Pass::Cluster(_));
    if let Some(other) = program.passes.iter().find(meets) {
        return Err(format!(
            "a tree in place is one over all partials, and `{other}` has another; leave one of the two out"
        ));
    }
    let block = program.block;
    let partials = &mut program.kernels[Reads::Partials as usize];
    partials.steps.retain(|step| !matches!(step, Step::Fold(_)));
    let reason = "a tree in place has a block barrier at each step; leave `shuffle` or `last_warp` out";
    let tree = combines_mut(partials).next().ok_or(reason)?;
    match tree.medium {
        Medium::Shared(addressing) if !tree.last_warp => {
            *tree = Combine { items: 2 * block, medium: Medium::Global(addressing), ..*tree };
        }
        Medium::Registers | Medium::Shuffle | Medium::Shared(_) | Medium::Global(_) | Medium::Distributed => {
            return Err(reason.to_owned());
        }
    }
    let inputs = &mut program.kernels[Reads::Inputs as usize];
    inputs.steps = vec![Step::Fold(fold), Step::Keep];
    Ok(program)
}

/// The words of a program that give a thread more than one element to fold.
fn folding(program: &Program) -> String {
    let folds = |pass: &&Pass| matches!(pass, Pass::Coarsen(_) | Pass::GridStride(_) | Pass::Vectorize(_));
    program.passes.iter().filter(folds).map(|pass| format!("`{pass}`")).collect::<Vec<_>>().join(" and ")
}

/// Why a word has nothing to work on after `in_place`.
pub(super) fn refused(program: &Program) -> Option<String> {
    let in_place = program.kernel(Reads::Partials).in_place().is_some();
    in_place.then(|| {
        "a tree in place has one item for each element, in global memory; leave `in_place` out".to_owned()
    })
}
