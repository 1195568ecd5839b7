//! `bitmask`: a mask finds the active threads.
//!
//! The tree in memory finds its active threads by a bit mask. These are the same threads as with `%`, but without the
//! cost of a division by a stride that is a variable.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(
//!     steps(&apply(naive, Pass::plain("bitmask")).unwrap())[1],
//!     "combine block: 256 items by pairs through shared memory, bit mask addressing"
//! );
//! ```
//!
//! Never changes the association.

use super::addressing::readdress;
use crate::rule::{Exclusion, Others, Rewrite, Rule};
use reduce_ir::program::{Addressing, Program};

/// The rule.
pub const RULE: Rule = Rule {
    name: "bitmask",
    doc: "the tree in memory finds its active threads with a bit mask instead of a division",
    changes_association: false,
    excludes: &[
        Exclusion {
            others: Others::Named(&["strided_index", "sequential"]),
            why: "a tree has one addressing",
        },
        Exclusion {
            others: Others::Named(&["last_warp"]),
            why: "the last steps of a tree are those of one warp where `sequential` addresses it",
        },
    ],
    rewrite: Rewrite::Plain(bitmask),
    ..Rule::BASE
};

fn bitmask(program: Program) -> Result<Program, String> {
    readdress(program, Addressing::Bitmask, "bitmask")
}
