//! `trigger`: the next launch begins early.
//!
//! Behind the fold of its items each block lets the next launch begin, if that is a dependent one; when all have done so, or have
//! ended, blocks of that launch take the places that are free, and wait there. Without this they come when the last block
//! has ended. Worth a quarter of a microsecond where a launch is short, and a loss where it has most of the GPU: then the
//! next one finds places on some multiprocessors only, and lies unevenly.
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
//! Requires an architecture that has such launches, sm_90 or newer. Never changes the association.

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
