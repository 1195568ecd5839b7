//! `coarsen(k)`: each thread folds k load units before the tree.
//!
//! Each thread folds exactly `k` load units, in index order. This takes fewer blocks, and less time in trees. The units
//! lie a block apart, so that neighbouring threads read neighbouring memory. If the operator does not commute, they are
//! consecutive instead, which keeps the order of the elements.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(steps(&naive)[0], "fold thread: 1 x 1 items");
//! assert_eq!(steps(&apply(naive, Pass::with("coarsen", 4)).unwrap())[0], "fold thread: 4 x 1 items");
//! ```
//!
//! Changes the association.

use crate::fold_mut;
use crate::rule::{Argument, Rewrite, Rule};
use reduce_ir::program::{Program, Share};

/// The rule.
pub const RULE: Rule = Rule {
    name: "coarsen",
    doc: "each thread folds k units, a block apart, before the tree",
    changes_association: true,
    rewrite: Rewrite::With(
        Argument { allowed: |k| matches!(k, 1..=1024), text: "a number in 1..=1024" },
        coarsen,
    ),
    ..Rule::BASE
};

fn coarsen(mut program: Program, units: u32) -> Result<Program, String> {
    for fold in program.kernels.iter_mut().filter_map(fold_mut) {
        match fold.share {
            Share::Units(_) => fold.share = Share::Units(units),
            // The partials of `one_block`, and the one accumulator that `atomic` leaves.
            Share::Rest => {}
        }
    }
    Ok(program)
}
