//! `last_warp`: the last warp continues alone.
//!
//! The steps of the tree inside the first warp are unrolled and separated by warp barriers. The other warps are
//! finished. Since Volta, the lanes of a warp need not run in lockstep. So both the barriers, and the register between
//! a read and a write, are necessary.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(
//!     steps(&apply(apply(naive, Pass::plain("sequential")).unwrap(), Pass::plain("last_warp")).unwrap())[1],
//!     "combine block: 256 items by halving through shared memory, sequential addressing, last warp by itself"
//! );
//! ```
//!
//! Requires an operator that commutes, as `sequential` does. Comes after `sequential` and before `shuffle`.
//! Never changes the association.

use crate::rule::{Rewrite, Rule};
use crate::{combines_mut, ordered};
use reduce_ir::program::{Addressing, Medium, Program};

/// The rule.
pub const RULE: Rule = Rule {
    name: "last_warp",
    doc: "the steps of the tree inside the first warp are written out, with warp barriers",
    changes_association: false,
    rewrite: Rewrite::Plain(last_warp),
    ..Rule::BASE
};

/// The alternative without block barriers in a warp that keeps the order.
const INSTEAD: &str = "write `shuffle` instead, which leaves one block barrier";

fn last_warp(mut program: Program) -> Result<Program, String> {
    if let Some(reason) = ordered(&program, INSTEAD) {
        return Err(reason);
    }
    let mut found = false;
    for tree in program.kernels.iter_mut().flat_map(combines_mut) {
        let Medium::Shared(addressing) = tree.medium else { continue };
        if addressing != Addressing::Sequential {
            let reason = "the last steps are not those of one warp; write `sequential` before `last_warp`";
            return Err(reason.to_owned());
        }
        (tree.last_warp, found) = (true, true);
    }
    let reason = "no tree goes through shared memory any more; leave `last_warp` out, or write it before `shuffle`, which replaces that tree";
    if found { Ok(program) } else { Err(reason.to_owned()) }
}
