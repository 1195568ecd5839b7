//! `streaming`: elements that are read once take no place in the cache.
//!
//! The vector loads of the kernel over inputs become `ld.global.cs`, which is evicted first. This gains half a percent
//! if the data is larger than the cache. It loses time if the next kernel reads the data again.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |kernel: usize, program: &Program| program.kernels[kernel].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let program = apply(apply(naive, Pass::with("vectorize", 4)).unwrap(), Pass::plain("streaming")).unwrap();
//! assert_eq!(steps(0, &program)[0], "fold thread: 1 x 4 items, streaming");
//! ```
//!
//! Requires `vectorize` before it. Never changes the association.

use crate::fold_mut;
use crate::rule::{Rewrite, Rule};
use reduce_ir::program::{Program, Reads};

/// The rule.
pub const RULE: Rule = Rule {
    name: "streaming",
    doc: "vector loads tell the cache that the elements are not read again",
    changes_association: false,
    rewrite: Rewrite::Plain(streaming),
    ..Rule::BASE
};

fn streaming(mut program: Program) -> Result<Program, String> {
    let fold = fold_mut(&mut program.kernels[Reads::Inputs as usize]).filter(|fold| fold.width > 1);
    let fold = fold.ok_or("only vector loads can tell the cache; write `vectorize` before `streaming`")?;
    fold.hints.streaming = true;
    Ok(program)
}
