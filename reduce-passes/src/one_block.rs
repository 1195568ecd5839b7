//! `one_block`: the kernel over partials is one block.
//!
//! The threads of this block fold all partials before their tree. So there are two launches for every number of
//! elements, which `ticket` turns into one. The partials of a thread lie a block apart, so that neighbouring threads
//! read neighbouring memory. If the operator does not commute, they are consecutive runs instead, which keep their
//! order and differ in length by at most one partial.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |kernel: usize, program: &Program| program.kernels[kernel].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(steps(1, &apply(naive, Pass::plain("one_block")).unwrap())[0], "fold thread: everything, units of 1 item");
//! ```
//!
//! Changes the association.

use crate::fold_mut;
use crate::rule::{Rewrite, Rule};
use reduce_ir::program::{Program, Reads, Share, Step, Team};

/// The rule.
pub const RULE: Rule = Rule {
    name: "one_block",
    doc: "the kernel over partials is one block, which folds all of them",
    changes_association: true,
    rewrite: Rewrite::Plain(one_block),
    ..Rule::BASE
};

fn one_block(mut program: Program) -> Result<Program, String> {
    let kernel = &mut program.kernels[Reads::Partials as usize];
    kernel.team = Team::BLOCK;
    kernel.steps.retain(|step| !matches!(step, Step::Exchange(_)));
    if let Some(fold) = fold_mut(kernel) {
        fold.share = Share::Rest;
    }
    Ok(program)
}
