//! `swizzle`: a strided index without its bank conflicts.
//!
//! The tree in shared memory keeps item `i` in slot `i ^ i / 32`, or `i ^ i / 16` if an item has 8 bytes or more. A
//! warp reads items that are a power of two apart. These lie in few banks, but their slots lie in different banks. For
//! structs of 16 bytes, a fifth of the conflicts remains. The same threads combine the same items.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let strided = apply(naive, Pass::plain("strided_index")).unwrap();
//! assert_eq!(
//!     steps(&apply(strided, Pass::plain("swizzle")).unwrap())[1],
//!     "combine block: 256 items by pairs through shared memory, swizzled index"
//! );
//! ```
//!
//! Comes after `strided_index` and before `shuffle`, which leaves no tree in memory.
//! Never changes the association.

use crate::combines_mut;
use crate::rule::{Exclusion, Others, Rewrite, Rule};
use reduce_ir::program::{Addressing, Medium, Program};

/// The rule.
pub const RULE: Rule = Rule {
    name: "swizzle",
    doc: "the tree of `strided_index` keeps its items in other slots of shared memory, without bank conflicts",
    excludes: &[Exclusion { others: Others::Named(&["in_place"]), why: "global memory has no banks" }],
    rewrite: Rewrite::Plain(swizzle),
    ..Rule::BASE
};

fn swizzle(mut program: Program) -> Result<Program, String> {
    let strided = Medium::Shared(Addressing::StridedIndex);
    let trees = program.kernels.iter_mut().flat_map(combines_mut).filter(|tree| tree.medium == strided);
    if trees.map(|tree| tree.medium = Medium::Shared(Addressing::Swizzled)).count() > 0 {
        return Ok(program);
    }
    Err("no tree in shared memory has a strided index; write `strided_index` before `swizzle`, and `swizzle` before `shuffle`"
        .to_owned())
}
