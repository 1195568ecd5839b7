//! `serial`: one thread folds everything.
//!
//! One thread folds everything, in index order: what a processor would do, and what the rest of a GPU waits for.
//!
//! ```
//! # use reduce_codegen::{lower::lower, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = lower(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(
//!     steps(&apply(naive, Pass::Serial).unwrap()),
//!     ["fold thread 0: everything", "combine grid through the next launch"]
//! );
//! ```
//!
//! Stands alone in its list. Changes the association.

use reduce_ir::program::{Fold, GridMedium, Program, Reach, Step};

pub(super) fn serial(mut program: Program) -> Result<Program, String> {
    for kernel in &mut program.kernels {
        kernel.steps = alone();
    }
    Ok(program)
}

/// The steps of a kernel in which one thread does everything.
pub(super) fn alone() -> Vec<Step> {
    let everything = Fold { reach: Reach::Everything, ..Fold::NAIVE };
    vec![Step::Fold(everything), Step::Grid(GridMedium::NextLaunch)]
}
