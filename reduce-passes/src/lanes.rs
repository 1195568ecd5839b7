//! `lanes(k)`: a thread has fewer accumulators than a load unit has elements.
//!
//! Element `i` of each load unit goes to accumulator `i mod k` of its thread, which combines its `k` accumulators after
//! the fold. A load unit of a narrow type has 16 elements. With one accumulator each, they take so many registers that
//! fewer warps fit a multiprocessor.
//!
//! ```
//! # use reduce_codegen::{schedule::naive, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let max = operator("max").unwrap().apply(&[Param::new("x", Scalar::I8)], None).unwrap();
//! # let naive = naive(&max, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! let vectorized = apply(naive, Pass::with("vectorize", 16)).unwrap();
//! assert_eq!(
//!     steps(&apply(vectorized, Pass::with("lanes", 4)).unwrap())[..2],
//!     ["fold thread: 1 x 16 items in 4 lanes", "combine thread: 4 items by pairs through registers"]
//! );
//! ```
//!
//! Requires `vectorize` of more elements before it, and an operator that commutes.
//! Changes the association.

use crate::fold_mut;
use crate::rule::{Argument, Rewrite, Rule};
use reduce_ir::program::{Program, Reads, Scope, Step};

/// The rule.
pub const RULE: Rule = Rule {
    name: "lanes",
    doc: "each thread has k accumulators, which the elements of a load unit share",
    changes_association: true,
    rewrite: Rewrite::With(Argument { allowed: |k| matches!(k, 1 | 2 | 4 | 8), text: "1, 2, 4 or 8" }, lanes),
    ..Rule::BASE
};

fn lanes(mut program: Program, lanes: u32) -> Result<Program, String> {
    if !program.operation.commutative {
        return Err(format!(
            "`{}` is not commutative, so a thread already has one lane; leave `lanes` out",
            program.operation.name
        ));
    }
    let kernel = &mut program.kernels[Reads::Inputs as usize];
    let Some(fold) = fold_mut(kernel).filter(|fold| fold.width > lanes) else {
        return Err(format!(
            "load units of {lanes} elements, or of fewer, have a lane for each; write `vectorize` of more before `lanes`"
        ));
    };
    fold.lanes = lanes;
    kernel.steps.retain_mut(|step| match step {
        Step::Combine(combine) if combine.scope == Scope::Thread => {
            combine.items = lanes;
            lanes > 1
        }
        Step::Fold(_) | Step::Combine(_) | Step::Keep | Step::Exchange(_) => true,
    });
    Ok(program)
}
