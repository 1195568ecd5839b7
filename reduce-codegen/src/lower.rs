//! An operation becomes the naive program: one element a thread, a tree in shared memory, modulo addressing.

use crate::error::{Error, verified};
use reduce_dsl::operation::Operation;
use reduce_dsl::program::{
    Addressing, Combine, Fold, GridMedium, Kernel, Medium, Program, Reads, Scope, Step, Tree,
};

/// The naive program, with `block` threads a block.
///
/// # Errors
/// The accumulators of a block do not fit its shared memory.
pub fn lower(operation: &Operation, block: u32) -> Result<Program, Error> {
    let kernel = |name, reads| Kernel { name, reads, steps: steps(block) };
    let kernels = [kernel("reduce_inputs", Reads::Inputs), kernel("reduce_partials", Reads::Partials)];
    verified(Program { operation: operation.clone(), block, passes: Vec::new(), kernels }, "lowering")
}

fn steps(block: u32) -> Vec<Step> {
    let tree = Combine {
        scope: Scope::Block,
        items: block,
        tree: Tree::Pairs,
        medium: Medium::Shared(Addressing::Modulo),
        unrolled: false,
        last_warp: false,
    };
    vec![Step::Fold(Fold::NAIVE), Step::Combine(tree), Step::Grid(GridMedium::NextLaunch)]
}
