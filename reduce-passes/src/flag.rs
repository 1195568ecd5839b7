//! `flag`: partials carry a flag that says that they are complete.
//!
//! Each partial is written together with a flag, in words that are written atomically. So the ticket only counts.
//! Blocks take their tickets before they read. No block waits for its ticket, or until its partial is visible. The
//! block with the last ticket waits for the missing partials. This saves half a microsecond, which matters for few
//! elements.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |kernel: usize, program: &Program| program.kernels[kernel].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let program = apply(apply(apply(naive, Pass::plain("one_block")).unwrap(), Pass::plain("ticket")).unwrap(), Pass::plain("flag")).unwrap();
//! assert_eq!(steps(0, &program).last().unwrap(), "combine grid through a ticket and flags, in the block that starts last");
//! ```
//!
//! Requires `ticket` before it. Never changes the association.

use crate::rule::{Rewrite, Rule};
use reduce_ir::program::{Exchange, Program, Reads, Step};

/// The rule.
pub const RULE: Rule = Rule {
    name: "flag",
    doc: "partials carry flags: blocks take tickets at their start, and the last to start waits for flags",
    changes_association: false,
    rewrite: Rewrite::Plain(flag),
    is_of_one_group: true,
    ..Rule::BASE
};

fn flag(mut program: Program) -> Result<Program, String> {
    let grid = program.kernels[Reads::Inputs as usize].steps.last_mut();
    let ticket = Step::Exchange(Exchange::LastBlock { flags: false });
    let grid = grid.filter(|step| **step == ticket);
    *grid.ok_or("only the block that takes the last ticket waits; write `ticket` before `flag`")? =
        Step::Exchange(Exchange::LastBlock { flags: true });
    Ok(program)
}
