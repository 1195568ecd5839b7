//! `trigger`: the next launch begins early.
//!
//! After the fold of its items, each block lets the next launch begin, if that is a dependent launch. When all blocks
//! have triggered or ended, blocks of the next launch take free places on the multiprocessors and wait there. Without
//! this pass they start when the last block has ended. It gains a quarter of a microsecond for short launches. It loses
//! time if a launch fills most of the GPU: the next launch then finds places on some multiprocessors only, and its
//! blocks are distributed unevenly.
//!
//! ```
//! # use reduce_codegen::{lower, schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! let program = apply(naive, Pass::plain("trigger")).unwrap();
//! let kernel = program.to_string().lines().find(|line| line.starts_with("kernel")).unwrap().to_owned();
//! assert_eq!(kernel, "kernel reduce_inputs reads inputs, team grid, block 256, tile 256, trigger");
//! assert!(lower(&program).unwrap().to_string().contains("\n  trigger launch\n"));
//! ```
//!
//! Requires an architecture with programmatic dependent launches, sm_90 or newer.
//! Never changes the association.

use crate::rule::{Rewrite, Rule};
use reduce_ir::program::Program;

/// The rule.
pub const RULE: Rule = Rule {
    name: "trigger",
    doc: "blocks that have folded their items let the next launch begin; needs sm_90",
    changes_association: false,
    rewrite: Rewrite::Plain(trigger),
    ..Rule::BASE
};

fn trigger(mut program: Program) -> Result<Program, String> {
    program.kernels.iter_mut().for_each(|kernel| kernel.trigger = true);
    Ok(program)
}
