//! `logical(k)`: each lane evaluates k *logical* threads of the association, side by side.
//!
//! After `subwarp`. The loads of a lane are in flight together, and the first levels of the tree need no shuffle. A warp has
//! more groups. The bits stay the same.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 32).unwrap();
//! let passes = [Pass::plain("shuffle"), Pass::with("subwarp", 8), Pass::with("logical", 2)];
//! let program = passes.into_iter().fold(naive, |program, pass| apply(program, pass).unwrap());
//! assert_eq!(program.kernels[0].team.to_string(), "8 lanes of 2 logical threads each");
//! assert_eq!(program.up_to, Some(16));
//! ```
//!
//! Requires `subwarp` before it, and a commutative operator. Never changes the association.

use crate::{Argument, Rewrite, Rule};
use reduce_ir::program::{Combine, Program, Reads, Scope, Size, Tree};

/// The rule.
pub const RULE: Rule = Rule {
    name: "logical",
    doc: "each lane evaluates k threads of the association",
    is_last: true,
    rewrite: Rewrite::With(Argument { allowed: |k| matches!(k, 2 | 4), text: "2 or 4" }, logical),
    ..Rule::BASE
};

fn logical(mut program: Program, logical: u32) -> Result<Program, String> {
    let Size::Lanes(lanes) = program.kernel(Reads::Inputs).team.size else {
        return Err("the team is no part of a warp; write `subwarp` before it".to_owned());
    };
    let threads = lanes * logical;
    if threads > Program::WARP {
        return Err(format!(
            "a warp has {} threads, not {lanes} times {logical}; write smaller numbers",
            Program::WARP
        ));
    }
    let ordered = |tree: &Combine| tree.scope == Scope::Warp && tree.tree == Tree::Pairs;
    if program.kernel(Reads::Inputs).combines().any(|tree| ordered(&tree)) {
        return Err("the operator keeps the order of neighbouring lanes; leave `logical` out".to_owned());
    }
    program.up_to = Some(program.items_of_lanes(threads));
    program.kernels[Reads::Inputs as usize].team.logical = logical;
    Ok(program)
}
