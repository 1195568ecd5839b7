//! `shuffle`: trees inside a warp go through registers.
//!
//! The tree over a block becomes two trees: one over each warp, through `__shfl_down_sync`, and one over the warps'
//! values. The first warp reads these from shared memory, after the only block barrier that is left. The trees halve
//! their stride. If the operator does not commute, they double it, so that neighbours are combined.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(steps(&naive)[1], "combine block: 256 items by pairs through shared memory, modulo addressing");
//! assert_eq!(
//!     steps(&apply(naive, Pass::plain("shuffle")).unwrap())[1..3],
//!     ["combine warp: 32 items by halving through shuffle", "combine block: 8 items by halving through shuffle"]
//! );
//! ```
//!
//! Changes the association.

use crate::rule::{Rewrite, Rule};
use crate::{joining, tree_of};
use reduce_ir::program::{Combine, Lowering, Medium, Program, Scope, Step};

/// The rule.
pub const RULE: Rule = Rule {
    name: "shuffle",
    doc: "trees inside a warp go through registers, with one block barrier left",
    changes_association: true,
    rewrite: Rewrite::Plain(shuffle),
    ..Rule::BASE
};

fn shuffle(mut program: Program) -> Result<Program, String> {
    let warps = program.warps();
    let tree = tree_of(&program);
    let lowering = Lowering::Loop;
    let through =
        |scope, items| Combine { scope, items, tree, medium: Medium::Shuffle, lowering, last_warp: false };
    // With a single warp, there is no tree over warps.
    let levels = [through(Scope::Warp, Program::WARP), through(Scope::Block, warps)];
    let levels = &levels[..if warps == 1 { 1 } else { 2 }];
    let split = |step: Step| match step {
        Step::Combine(Combine { scope: Scope::Block, .. }) => {
            levels.iter().map(|&level| Step::Combine(joining(&program, level))).collect()
        }
        Step::Fold(_) | Step::Combine(_) | Step::Keep | Step::Exchange(_) => vec![step],
    };
    let split_all = |steps: &[Step]| steps.iter().flat_map(|&step| split(step)).collect();
    let steps: Vec<Vec<Step>> = program.kernels.iter().map(|kernel| split_all(&kernel.steps)).collect();
    program.kernels.iter_mut().zip(steps).for_each(|(kernel, steps)| kernel.steps = steps);
    Ok(program)
}
