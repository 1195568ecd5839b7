//! `vectorize(k)`: a load unit is k consecutive elements.
//!
//! A load unit of the kernel over inputs consists of `k` consecutive elements, loaded up to 16 bytes at a time. Each
//! thread has one accumulator for each element of a unit, and combines them after the fold. If the operator does not
//! commute, a thread has a single accumulator, and folds its elements in order.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(steps(&naive)[0], "fold thread: 1 x 1 items");
//! let vectorized = apply(naive, Pass::with("vectorize", 4)).unwrap();
//! assert_eq!(
//!     steps(&vectorized)[..2],
//!     ["fold thread: 1 x 4 items", "combine thread: 4 items by pairs through registers"]
//! );
//! ```
//!
//! Requires contiguous inputs. Data that is not aligned to the unit is loaded by elements or words, in the same
//! association. The kernel over partials stays as it is, because partials are few.
//! Changes the association.

use crate::fold_mut;
use crate::rule::{Argument, Rewrite, Rule};
use reduce_ir::program::{Arrangement, Combine, Lowering, Medium, Program, Reads, Scope, Step, Tree};

/// The rule.
pub const RULE: Rule = Rule {
    name: "vectorize",
    doc: "each load unit is k consecutive elements, loaded up to 16 bytes at a time where they lie side by side",
    changes_association: true,
    rewrite: Rewrite::With(
        Argument { allowed: |k| matches!(k, 2 | 4 | 8 | 16), text: "2, 4, 8 or 16" },
        vectorize,
    ),
    ..Rule::BASE
};

fn vectorize(mut program: Program, width: u32) -> Result<Program, String> {
    let kernel = &mut program.kernels[Reads::Inputs as usize];
    if let Some(fold) = fold_mut(kernel) {
        fold.width = width;
        if fold.arrangement == Arrangement::Striped {
            fold.lanes = width;
            kernel.steps.insert(1, Step::Combine(tree(width)));
        }
    }
    Ok(program)
}

/// Returns the tree over the lanes of a thread.
fn tree(items: u32) -> Combine {
    Combine {
        scope: Scope::Thread,
        items,
        tree: Tree::Pairs,
        medium: Medium::Registers,
        lowering: Lowering::Loop,
        last_warp: false,
    }
}
