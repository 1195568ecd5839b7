//! `strided_index`: the first threads take the items.
//!
//! Thread `t` of the tree in memory combines item `2 * stride * t`. Warps stay whole. In shared memory, their lanes
//! access few banks.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(
//!     steps(&apply(naive, Pass::plain("strided_index")).unwrap())[1],
//!     "combine block: 256 items by pairs through shared memory, strided index"
//! );
//! ```
//!
//! Never changes the association.

use super::addressing::readdress;
use crate::rule::{Exclusion, Others, Rewrite, Rule};
use reduce_ir::program::{Addressing, Program};

/// The rule.
pub const RULE: Rule = Rule {
    name: "strided_index",
    doc: "the tree in memory gives its items to the first threads, which stay together, with bank conflicts",
    changes_association: false,
    excludes: &[
        Exclusion { others: Others::Named(&["sequential"]), why: "a tree has one addressing" },
        Exclusion {
            others: Others::Named(&["last_warp"]),
            why: "the last steps of a tree are those of one warp where `sequential` addresses it",
        },
    ],
    rewrite: Rewrite::Plain(strided_index),
    ..Rule::BASE
};

fn strided_index(program: Program) -> Result<Program, String> {
    readdress(program, Addressing::StridedIndex, "strided_index")
}
