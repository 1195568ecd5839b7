//! Parts of programs that passes read and change.

use crate::named;
use reduce_ir::program::{Combine, Fold, Kernel, Program, Step, Tree};

/// The fold of a kernel, to change.
pub(crate) fn fold_mut(kernel: &mut Kernel) -> Option<&mut Fold> {
    kernel.steps.iter_mut().find_map(|step| match step {
        Step::Fold(fold) => Some(fold),
        Step::Combine(_) | Step::Keep | Step::Exchange(_) => None,
    })
}

/// How accumulators meet: those of an operator that does not commute with their neighbours.
pub(crate) fn tree_of(program: &Program) -> Tree {
    if program.operation.commutative { Tree::Halving } else { Tree::Pairs }
}

/// Returns a combination as the passes of the program want it, before another pass adds it to a kernel.
pub(crate) fn joining(program: &Program, mut combine: Combine) -> Combine {
    let wishes = program.passes.iter().filter_map(|pass| named(pass.name)?.joining);
    wishes.for_each(|wish| wish(program, &mut combine));
    combine
}

/// The combinations of a kernel, to change.
pub(crate) fn combines_mut(kernel: &mut Kernel) -> impl Iterator<Item = &mut Combine> {
    kernel.steps.iter_mut().filter_map(|step| match step {
        Step::Combine(combine) => Some(combine),
        Step::Fold(_) | Step::Keep | Step::Exchange(_) => None,
    })
}

/// Why an operator that is not commutative cannot be reordered, and what to do instead.
pub(crate) fn ordered(program: &Program, instead: &str) -> Option<String> {
    let name = &program.operation.name;
    (!program.operation.commutative)
        .then(|| format!("`{name}` is not commutative, and this would reorder its elements; {instead}"))
}
