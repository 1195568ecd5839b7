//! `near`: positions take 32 bits inside a tile.
//!
//! Positions in accumulators count from the first element of the block's tile, in 32 bits: half the registers, shuffles and
//! shared memory. Where the block's accumulator leaves it, one thread adds the position of that element. In a program for fewer
//! than 2³² elements they count from the first of all, and partials are near as well: half the memory. Positions are the
//! fields that are only copied and compared, so that nothing shows ([`reduce_ir::near`]).
//!
//! ```
//! # use reduce_codegen::{lower::lower, passes::apply};
//! # use reduce_ir::{Scalar, func::Param, pass::Pass, program::Program};
//! # use reduce_dsl::operators::operator;
//! # let argmax = operator("argmax").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
//! # let naive = lower(&argmax, 256).unwrap();
//! # let steps = |program: &Program| program.kernels[0].steps.iter().map(|it| it.to_string()).collect::<Vec<_>>();
//! assert_eq!(steps(&naive)[0], "fold thread: 1 x 1 items");
//! assert_eq!(steps(&apply(naive, Pass::Near).unwrap())[0], "fold thread: 1 x 1 items, near positions");
//! ```
//!
//! Requires an accumulator with positions, and blocks that have a tile each. Never changes the association.

use super::fold_mut;
use reduce_ir::near::Near;
use reduce_ir::program::{Program, Reads};

pub(super) fn near(mut program: Program) -> Result<Program, String> {
    if Near::of(&program.operation).is_none() {
        let name = &program.operation.name;
        return Err(format!(
            "the accumulator of `{name}` has no field that is the index and only copied and compared; leave `near` out"
        ));
    }
    // The positions of so few elements take 32 bits wherever they count from.
    let few = program.up_to.is_some_and(|n| n <= Near::MOST);
    let kernels = program.kernels.iter_mut().filter(|kernel| few || kernel.reads == Reads::Inputs);
    kernels.filter_map(fold_mut).for_each(|fold| fold.near = true);
    Ok(program)
}
