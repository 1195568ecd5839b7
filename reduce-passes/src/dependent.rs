//! `dependent`: launches overlap.
//!
//! Each kernel is launched as a programmatic dependent launch (CUDA C++ Programming Guide). Its blocks may start when
//! all blocks of the previous launch on the stream have ended or triggered. Each then waits first until that launch is
//! complete and its writes are visible. The second of two consecutive launches begins up to a microsecond earlier.
//!
//! ```
//! # use reduce_codegen::{lower, schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! let program = apply(naive, Pass::plain("dependent")).unwrap();
//! let kernel = program.to_string().lines().find(|line| line.starts_with("kernel")).unwrap().to_owned();
//! assert_eq!(kernel, "kernel reduce_inputs reads inputs, team grid, block 256, tile 256, dependent");
//! assert!(lower(&program).unwrap().to_string().contains("\n  await launch\n"));
//! ```
//!
//! Requires an architecture with programmatic dependent launches, sm_90 or newer.
//! Never changes the association.

use crate::rule::{Rewrite, Rule};
use reduce_ir::program::Program;

/// The rule.
pub const RULE: Rule = Rule {
    name: "dependent",
    doc: "a kernel may begin while the previous launch is ending, and waits for it; needs sm_90",
    changes_association: false,
    rewrite: Rewrite::Plain(dependent),
    ..Rule::BASE
};

fn dependent(mut program: Program) -> Result<Program, String> {
    program.kernels.iter_mut().for_each(|kernel| kernel.dependent = true);
    Ok(program)
}
