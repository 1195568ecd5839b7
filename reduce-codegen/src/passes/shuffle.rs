//! `shuffle`: trees inside a warp go through registers.

use super::in_place;
use reduce_dsl::pass::Pass;
use reduce_dsl::program::{Combine, How, Medium, Program, Scope, Step, Tree};

/// The tree over a block becomes a tree over each warp, through `__shfl_down_sync`, and one over the
/// warps' values, which the first warp reads from shared memory after the one block barrier that is left. The trees
/// halve their distance; that of an operator that does not commute doubles, so that neighbours meet.
///
/// ```
/// # use reduce_codegen::{lower::lower, passes::*};
/// # use reduce_dsl::{Scalar, func::Param, operators::operator, program::Program};
/// # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
/// # let naive = lower(&max, 256).unwrap();
/// # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
/// assert_eq!(steps(&naive)[1], "combine block: 256 items by pairs through shared memory, modulo addressing");
/// assert_eq!(
///     steps(&shuffle(naive).unwrap())[1..3],
///     ["combine warp: 32 items by halving through shuffle", "combine block: 8 items by halving through shuffle"]
/// );
/// ```
///
/// Changes the association.
///
/// # Errors
/// The reason why it does not apply.
pub fn shuffle(mut program: Program) -> Result<Program, String> {
    if let Some(reason) = in_place::refused(&program) {
        return Err(reason);
    }
    let warps = program.warps();
    let tree = if program.operation.commutative { Tree::Halving } else { Tree::Pairs };
    let gathered = program.passes.contains(&Pass::Gather);
    for kernel in &mut program.kernels {
        kernel.steps = kernel.steps.iter().flat_map(|&step| split(step, warps, tree, gathered)).collect();
    }
    Ok(program)
}

/// The tree over a block as one over warps and, where there are several, one over their values.
fn split(step: Step, warps: u32, tree: Tree, gathered: bool) -> Vec<Step> {
    let Step::Combine(Combine { scope: Scope::Block, how, .. }) = step else {
        return vec![step];
    };
    let through = |scope, items| {
        let how = if gathered && scope == Scope::Block { How::Gathered } else { how };
        Step::Combine(Combine { scope, items, tree, medium: Medium::Shuffle, how, last_warp: false })
    };
    let warp = through(Scope::Warp, Program::WARP);
    if warps == 1 { vec![warp] } else { vec![warp, through(Scope::Block, warps)] }
}
