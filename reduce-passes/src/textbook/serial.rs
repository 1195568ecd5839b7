//! `serial`: one thread folds everything.
//!
//! It does this in index order, like a CPU, while the rest of the GPU waits.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(
//!     steps(&apply(naive, Pass::plain("serial")).unwrap()),
//!     ["fold thread: everything, units of 1 item"]
//! );
//! ```
//!
//! Stands alone in its list.
//! Changes the association.

use crate::rule::{Exclusion, Others, Rewrite, Rule};
use reduce_ir::program::{Fold, Kernel, Program, Share, Step, Team};

/// The rule.
pub const RULE: Rule = Rule {
    name: "serial",
    doc: "one thread folds everything",
    changes_association: true,
    excludes: &[Exclusion { others: Others::All, why: "one thread folds everything" }],
    rewrite: Rewrite::Plain(serial),
    ..Rule::BASE
};

fn serial(mut program: Program) -> Result<Program, String> {
    program.kernels.iter_mut().for_each(alone);
    Ok(program)
}

/// Makes one thread fold everything.
pub(super) fn alone(kernel: &mut Kernel) {
    kernel.team = Team::THREAD;
    kernel.steps = vec![Step::Fold(Fold { share: Share::Rest, ..Fold::NAIVE })];
}
