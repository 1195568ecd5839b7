//! `in_place`: the tree works in global memory.
//!
//! Each thread of the tree combines two items, in place. Textbook kernels do this before they introduce shared memory.
//! Inputs are never modified, so the first kernel leaves the accumulator of each element in the workspace.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let in_place = apply(naive, Pass::plain("in_place")).unwrap();
//! assert_eq!(steps(&in_place), ["fold thread: 1 x 1 items", "keep every thread's item in the workspace"]);
//! assert_eq!(
//!     in_place.kernels[1].steps[0].to_string(),
//!     "combine block: 512 items by pairs through global memory, modulo addressing"
//! );
//! ```
//!
//! Takes the addressing that other passes choose.
//! Changes the association.

use crate::combines_mut;
use crate::rule::{Exclusion, Others, Rewrite, Rule};
use reduce_ir::program::{Combine, Medium, Program, Reads, Step};

/// The rule.
pub const RULE: Rule = Rule {
    name: "in_place",
    doc: "the tree works in global memory, on a copy of the mapped elements",
    changes_association: true,
    excludes: &[Exclusion {
        others: Others::Named(&[
            "last_warp",
            "shuffle",
            "coarsen",
            "grid_stride",
            "vectorize",
            "lanes",
            "warp_striped",
            "streaming",
            "narrow_index",
            "redux",
            "serial_tail",
            "atomic",
            "cluster",
            "one_block",
            "ticket",
            "flag",
        ]),
        why: "a tree in place has one item for each element, in global memory",
    }],
    rewrite: Rewrite::Plain(in_place),
    is_of_one_group: true,
    ..Rule::BASE
};

fn in_place(mut program: Program) -> Result<Program, String> {
    let (fold, block) = (program.kernel(Reads::Inputs).fold(), program.block);
    let partials = &mut program.kernels[Reads::Partials as usize];
    partials.steps.retain(|step| !matches!(step, Step::Fold(_)));
    for tree in combines_mut(partials) {
        if let Medium::Shared(addressing) = tree.medium {
            *tree = Combine { items: 2 * block, medium: Medium::Global(addressing), ..*tree };
        }
    }
    let inputs = &mut program.kernels[Reads::Inputs as usize];
    inputs.steps = vec![Step::Fold(fold), Step::Keep];
    Ok(program)
}
