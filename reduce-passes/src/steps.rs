//! Access to parts of programs, for several passes.

use crate::named;
use reduce_ir::program::{Combine, Fold, Kernel, Program, Step, Tree};

/// Returns the fold of a kernel.
pub(crate) fn fold_mut(kernel: &mut Kernel) -> Option<&mut Fold> {
    kernel.steps.iter_mut().find_map(|step| match step {
        Step::Fold(fold) => Some(fold),
        Step::Combine(_) | Step::Keep | Step::Exchange(_) => None,
    })
}

/// Returns the shape of trees. Pairs keep the order of an operator that does not commute.
pub(crate) fn tree_of(program: &Program) -> Tree {
    if program.operation.commutative { Tree::Halving } else { Tree::Pairs }
}

/// Returns a combination with the changes that the passes of the program ask for, before another pass adds it to a
/// kernel.
pub(crate) fn joining(program: &Program, mut combine: Combine) -> Combine {
    let wishes = program.passes.iter().filter_map(|pass| named(pass.name)?.joining);
    wishes.for_each(|wish| wish(program, &mut combine));
    combine
}

/// Returns the combinations of a kernel.
pub(crate) fn combines_mut(kernel: &mut Kernel) -> impl Iterator<Item = &mut Combine> {
    kernel.steps.iter_mut().filter_map(|step| match step {
        Step::Combine(combine) => Some(combine),
        Step::Fold(_) | Step::Keep | Step::Exchange(_) => None,
    })
}

/// Returns the reason why a pass cannot reorder the elements, and an alternative, if the operator does not commute.
pub(crate) fn ordered(program: &Program, instead: &str) -> Option<String> {
    let name = &program.operation.name;
    (!program.operation.commutative)
        .then(|| format!("`{name}` is not commutative, and this would reorder its elements; {instead}"))
}
