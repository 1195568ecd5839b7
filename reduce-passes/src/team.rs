//! `team(thread)`, `team(warp)`, `team(block)`: the threads that share a group.
//!
//! One thread, warp or block has all elements of a group, which are at most one tile. A smaller team evaluates the
//! association of the block: each of its threads takes several *logical* threads, and combines their accumulators in
//! registers. So the bits stay the same.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! let program = apply(apply(naive, Pass::plain("shuffle")).unwrap(), Pass::of_word("team", "warp")).unwrap();
//! assert_eq!(program.kernels[0].team.to_string(), "warp of 8 logical threads each");
//! assert_eq!(program.up_to, Some(256));
//! ```
//!
//! Requires `shuffle` before `team(warp)`. Never changes the association.

use crate::{Exclusion, Others, Rewrite, Rule, combines_mut};
use reduce_ir::program::{Lowering, Medium, Program, Reads, Scope, Size, Step, Team};

/// The rule.
pub const RULE: Rule = Rule {
    name: "team",
    doc: "one thread, warp or block folds all elements of a group, at most one tile",
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
            "beside",
            "subwarp",
        ]),
        why: "a team of one thread, warp or block has one tile, and leaves the result",
    }],
    is_last: true,
    rewrite: Rewrite::Word(&["thread", "warp", "block"], team),
    ..Rule::BASE
};

fn team(mut program: Program, word: &'static str) -> Result<Program, String> {
    let size = match word {
        "thread" => Size::Thread,
        "warp" => Size::Warp,
        _ => Size::Block,
    };
    let kernel = program.kernel(Reads::Inputs);
    if size == Size::Warp && kernel.combines().any(|combine| matches!(combine.medium, Medium::Shared(_))) {
        return Err("a warp has no tree in shared memory; write `shuffle` before it".to_owned());
    }
    let logical = match size {
        Size::Thread => program.block,
        Size::Warp => program.block / Program::WARP,
        Size::Lanes(_) | Size::Block | Size::Cluster | Size::Grid { .. } => 1,
    };
    let kernel = &mut program.kernels[Reads::Inputs as usize];
    kernel.team = Team { size, logical, beside: 1 };
    kernel.steps.retain(|step| !matches!(step, Step::Exchange(_)));
    let in_registers = |scope| size == Size::Thread || size == Size::Warp && scope == Scope::Block;
    for combine in combines_mut(kernel).filter(|combine| in_registers(combine.scope)) {
        (combine.medium, combine.lowering, combine.last_warp) = (Medium::Registers, Lowering::Loop, false);
    }
    Ok(program)
}
