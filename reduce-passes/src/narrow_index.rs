//! `narrow_index`: positions take 32 bits.
//!
//! Rewrites the operation for fewer than 2³² elements: positions in accumulators become `u32`, and `finish` widens
//! them. Positions then take half the registers, shuffles, shared memory and partials. Positions are fields that are
//! only copied, selected and compared with each other, so every comparison has the same result.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let argmax = operator("argmax").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&argmax, 256).unwrap();
//! # let acc = |program: &Program| program.operation.acc.text();
//! assert_eq!(acc(&naive), "Best { value: f32, index: u64 }");
//! assert_eq!(acc(&apply(naive, Pass::plain("narrow_index")).unwrap()), "Narrow_Best { value: f32, index: u32 }");
//! ```
//!
//! Requires an accumulator with positions. Never changes the association.

use crate::narrow::narrowed;
use crate::rule::{Rewrite, Rule};
use reduce_ir::program::Program;

/// The rule.
pub const RULE: Rule = Rule {
    name: "narrow_index",
    doc: "positions in accumulators are kept in 32 bits inside a tile, or where all of them fit",
    changes_association: false,
    rewrite: Rewrite::Plain(narrow_index),
    ..Rule::BASE
};

fn narrow_index(mut program: Program) -> Result<Program, String> {
    let Some(operation) = narrowed(&program.operation) else {
        let name = &program.operation.name;
        return Err(format!(
            "the accumulator of `{name}` has no field that is the index and only copied and compared; leave `narrow_index` out"
        ));
    };
    program.operation = operation;
    Ok(program)
}
