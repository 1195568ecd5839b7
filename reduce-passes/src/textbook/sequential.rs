//! `sequential`: the tree in memory halves its stride.
//!
//! The stride halves instead of doubling, so that the active threads are the first ones. Whole warps retire, and
//! neighbouring threads read neighbouring words.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(steps(&naive)[1], "combine block: 256 items by pairs through shared memory, modulo addressing");
//! assert_eq!(
//!     steps(&apply(naive, Pass::plain("sequential")).unwrap())[1],
//!     "combine block: 256 items by halving through shared memory, sequential addressing"
//! );
//! ```
//!
//! Requires an operator that commutes, because item i is combined with item i + k/2. Comes before `shuffle`, which
//! leaves no tree in memory.
//! Changes the association.

use super::addressing::readdress;
use crate::ordered;
use crate::rule::{Rewrite, Rule};
use reduce_ir::program::{Addressing, Program};

/// The rule.
pub const RULE: Rule = Rule {
    name: "sequential",
    doc: "the tree in memory halves its stride, so that active threads stay together",
    changes_association: true,
    rewrite: Rewrite::Plain(sequential),
    ..Rule::BASE
};

/// The alternative that keeps active threads together and elements in order.
const INSTEAD: &str = "write `strided_index` instead";

fn sequential(program: Program) -> Result<Program, String> {
    match ordered(&program, INSTEAD) {
        Some(reason) => Err(reason),
        None => readdress(program, Addressing::Sequential, "sequential"),
    }
}
