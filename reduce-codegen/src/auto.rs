//! `passes: auto`: one list for each case. The list is part of the association, so changing it changes bits.

use reduce_dsl::Spec;
use reduce_dsl::operation::{Layout, Operation};
use reduce_dsl::pass::Pass;
use reduce_dsl::spec::Passes;

/// The version of the associations, of `auto` and of every pass: bits change only with it.
pub const ASSOCIATION: &str = "A1";

/// Threads per block and passes of a specification.
pub(crate) fn schedule(spec: &Spec) -> (u32, Vec<Pass>) {
    match &spec.passes {
        Passes::List(passes) => (spec.block.unwrap_or(Spec::BLOCK), passes.clone()),
        Passes::Auto => (spec.block.unwrap_or(512), auto(&spec.operation)),
    }
}

/// Load units of 16 bytes of the smallest input, and as many of them as make 64 elements a thread. Of elements that
/// lie apart, 32 a thread: ptxas loads them all before it combines them, and 64 spill on sm_75. Of an operator that does
/// not commute, units of 64 bytes: what a thread reads lies together, and neighbouring threads read further apart.
fn auto(operation: &Operation) -> Vec<Pass> {
    if operation.layout == Layout::Strided {
        return vec![Pass::Shuffle, Pass::Coarsen(32), Pass::Unroll];
    }
    let smallest = operation.inputs.iter().map(|input| input.ty.size()).min().unwrap_or(4);
    let width = (16 / smallest) as u32;
    let units = if operation.commutative { 64 / width } else { 4 };
    vec![Pass::Shuffle, Pass::Vectorize(width), Pass::Coarsen(units), Pass::Unroll]
}
