//! `ticket`: one launch is enough.
//!
//! Each block leaves its partial and takes a ticket. The block with the last ticket runs the steps of the kernel over
//! partials, in the same launch, and resets the ticket. The ticket has acquire and release order at the scope of the
//! GPU, so this block sees all partials. It combines them in their own order. So the order in which blocks finish
//! changes nothing.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |kernel: usize, program: &Program| program.kernels[kernel].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let program = apply(apply(naive, Pass::plain("one_block")).unwrap(), Pass::plain("ticket")).unwrap();
//! assert_eq!(steps(0, &program).last().unwrap(), "combine grid through a ticket, in the block that finishes last");
//! assert!(program.has_one_launch());
//! ```
//!
//! Requires `one_block` before it. Never changes the association.

use crate::rule::{Rewrite, Rule};
use reduce_ir::program::{Exchange, Program, Reads, Step, Team};

/// The rule.
pub const RULE: Rule = Rule {
    name: "ticket",
    doc: "the last block to finish combines the partials, in the same launch",
    changes_association: false,
    rewrite: Rewrite::Plain(ticket),
    is_of_one_group: true,
    ..Rule::BASE
};

fn ticket(mut program: Program) -> Result<Program, String> {
    if program.kernel(Reads::Partials).team != Team::BLOCK {
        return Err("one block has to combine all partials; write `one_block` before `ticket`".to_owned());
    }
    for step in &mut program.kernels[Reads::Inputs as usize].steps {
        if matches!(step, Step::Exchange(_)) {
            *step = Step::Exchange(Exchange::LastBlock { flags: false });
        }
    }
    Ok(program)
}
