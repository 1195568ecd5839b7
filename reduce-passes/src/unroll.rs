//! `unroll`: trees and folds are unrolled.
//!
//! Trees are written out level by level, with their strides as literals. The compiler unrolls the fold so that four
//! loads are in flight: by four units, or by two if a unit takes two or more loads. Eight small partials are loaded at
//! once.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let shuffled = apply(naive, Pass::plain("shuffle")).unwrap();
//! assert_eq!(steps(&shuffled)[1], "combine warp: 32 items by halving through shuffle");
//! assert_eq!(
//!     steps(&apply(shuffled, Pass::plain("unroll")).unwrap())[1],
//!     "combine warp: 32 items by halving through shuffle, unrolled"
//! );
//! ```
//!
//! Never changes the association.

use crate::rule::{Rewrite, Rule};
use crate::{combines_mut, fold_mut};
use reduce_ir::program::{Combine, Lowering, Medium, Program, Team};

/// The rule.
pub const RULE: Rule = Rule {
    name: "unroll",
    doc: "trees are written out step by step and the fold loop is unrolled",
    changes_association: false,
    joining: Some(joining),
    rewrite: Rewrite::Plain(unroll),
    ..Rule::BASE
};

fn unroll(mut program: Program) -> Result<Program, String> {
    for kernel in &mut program.kernels {
        // Other loops are as long as the data. The loop over partials is short, and its loads should overlap.
        let is_block = kernel.team == Team::BLOCK;
        let fold = fold_mut(kernel).filter(|fold| fold.units().is_some() || is_block);
        fold.into_iter().for_each(|fold| fold.hints.unrolled = true);
        // Lanes are separate locals, so their trees are unrolled anyway.
        let trees = combines_mut(kernel).filter(|combine| combine.medium != Medium::Registers);
        trees.for_each(|tree| tree.raise(Lowering::Unrolled));
    }
    Ok(program)
}

/// Unrolls the levels of a combination that a later pass adds.
fn joining(_: &Program, combine: &mut Combine) {
    combine.raise(Lowering::Unrolled);
}
