//! `subwarp(k)`: k lanes of a warp fold all elements of a group, which are at most one load unit for each lane.
//!
//! For short groups, so that a warp has several of them. The other threads of the association have no element, so the bits
//! stay the same.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 32).unwrap();
//! let program = apply(apply(naive, Pass::plain("shuffle")).unwrap(), Pass::with("subwarp", 8)).unwrap();
//! assert_eq!(program.kernels[0].team.to_string(), "8 lanes");
//! assert_eq!(program.up_to, Some(8));
//! ```
//!
//! Requires `shuffle` before it, and a block of 32. Never changes the association.

use crate::{Argument, Exclusion, Others, Rewrite, Rule, combines_mut};
use reduce_ir::program::{Lowering, Medium, Program, Reads, Scope, Size, Step, Team};

/// The rule.
pub const RULE: Rule = Rule {
    name: "subwarp",
    doc: "k lanes of a warp fold all elements of a group, at most one load unit each",
    excludes: &[Exclusion {
        others: Others::Named(&[
            "serial",
            "in_place",
            "grid_stride",
            "warp_striped",
            "cluster",
            "one_block",
            "ticket",
            "flag",
            "atomic",
            "team",
            "beside",
        ]),
        why: "a few lanes have one tile, and leave the result",
    }],
    is_last: true,
    rewrite: Rewrite::With(
        Argument { allowed: |k| matches!(k, 2 | 4 | 8 | 16), text: "2, 4, 8 or 16" },
        subwarp,
    ),
    ..Rule::BASE
};

fn subwarp(mut program: Program, lanes: u32) -> Result<Program, String> {
    let kernel = program.kernel(Reads::Inputs);
    let in_warp =
        kernel.combines().all(|combine| combine.scope == Scope::Thread || combine.medium == Medium::Shuffle);
    if program.block != Program::WARP || !in_warp {
        return Err(
            "lanes combine by shuffles in one warp; write `block: 32`, and `shuffle` before it".to_owned()
        );
    }
    let most = program.items_of_lanes(lanes);
    program.up_to = Some(program.up_to.map_or(most, |n| n.min(most)));
    let kernel = &mut program.kernels[Reads::Inputs as usize];
    kernel.team = Team { size: Size::Lanes(lanes), ..Team::BLOCK };
    kernel.steps.retain(|step| !matches!(step, Step::Exchange(_)));
    for combine in combines_mut(kernel).filter(|combine| combine.lowering == Lowering::WarpReduce) {
        combine.lowering = Lowering::Unrolled;
    }
    Ok(program)
}
