//! The naive program of an operation: one element per thread, a tree in shared memory, modulo addressing. If the
//! operator does not commute, each thread takes consecutive elements, and all passes keep their order.

use crate::error::{Error, verified};
use reduce_ir::Domain;
use reduce_ir::operation::Operation;
use reduce_ir::program::{
    Addressing, Arrangement, Combine, Exchange, Fold, Kernel, Lowering, Medium, Program, Reads, Scope, Step,
    Team, Tree,
};

/// Returns the naive program with `block` threads per block.
///
/// # Errors
/// The accumulators of a block do not fit its shared memory.
pub fn naive(operation: &Operation, block: u32) -> Result<Program, Error> {
    let arrangement = if operation.commutative { Arrangement::Striped } else { Arrangement::Blocked };
    let kernel = |name, reads| Kernel {
        name,
        reads,
        team: Team::GRID,
        dependent: false,
        trigger: false,
        steps: steps(block, arrangement),
    };
    let kernels = vec![kernel("reduce_inputs", Reads::Inputs), kernel("reduce_partials", Reads::Partials)];
    verified(
        Program {
            operation: operation.clone(),
            domain: Domain::WHOLE,
            block,
            up_to: None,
            passes: Vec::new(),
            kernels,
        },
        "the naive schedule",
    )
}

fn steps(block: u32, arrangement: Arrangement) -> Vec<Step> {
    let tree = Combine {
        scope: Scope::Block,
        items: block,
        tree: Tree::Pairs,
        medium: Medium::Shared(Addressing::Modulo),
        lowering: Lowering::Loop,
        last_warp: false,
    };
    let fold = Fold { arrangement, ..Fold::NAIVE };
    vec![Step::Fold(fold), Step::Combine(tree), Step::Exchange(Exchange::NextLaunch)]
}
