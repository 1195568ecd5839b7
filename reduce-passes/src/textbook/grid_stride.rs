//! `grid_stride(g)`: a grid of fixed size goes over the whole input.
//!
//! A grid has at most `g` blocks. Each thread folds the load units that are a grid apart, in index order. So there are
//! at most `g` partials for any n. The number of blocks is part of the association, so the user writes it and it does
//! not come from the device.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(
//!     steps(&apply(naive, Pass::with("grid_stride", 1024)).unwrap())[0],
//!     "fold thread: everything, units of 1 item"
//! );
//! ```
//!
//! Requires an operator that commutes, because the units of a thread are not consecutive. Excludes `coarsen`. The
//! kernel over partials stays as it is, because partials are few.
//! Changes the association.

use crate::rule::{Argument, Exclusion, Others, Rewrite, Rule};
use crate::{fold_mut, ordered};
use reduce_ir::program::{Program, Reads, Share, Size, Team};

/// The rule.
pub const RULE: Rule = Rule {
    name: "grid_stride",
    doc: "each thread folds one unit per stride of a grid of at most k blocks",
    changes_association: true,
    excludes: &[
        Exclusion {
            others: Others::Named(&["coarsen"]),
            why: "a thread folds a fixed number of units, or every unit of its grid stride",
        },
        Exclusion {
            others: Others::Named(&["narrow_index"]),
            why: "`grid_stride` counts positions in 64 bits",
        },
        Exclusion {
            others: Others::Named(&["cluster"]),
            why: "the grid has a fixed number of blocks, or it has clusters",
        },
    ],
    rewrite: Rewrite::With(
        Argument { allowed: |k| matches!(k, 1..=65536), text: "a number in 1..=65536" },
        grid_stride,
    ),
    ..Rule::BASE
};

/// The alternative that keeps the elements of a thread in order.
const INSTEAD: &str = "write `coarsen` instead, with which each thread folds neighbours";

fn grid_stride(mut program: Program, blocks: u32) -> Result<Program, String> {
    if let Some(reason) = ordered(&program, INSTEAD) {
        return Err(reason);
    }
    let kernel = &mut program.kernels[Reads::Inputs as usize];
    kernel.team = Team { size: Size::Grid { most: Some(blocks) }, ..Team::GRID };
    if let Some(fold) = fold_mut(kernel) {
        (fold.share, fold.hints.unrolled) = (Share::Rest, false);
    }
    Ok(program)
}
