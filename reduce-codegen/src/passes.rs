//! The passes, one file each: pure functions from a program to a program, or a reason why not.
//!
//! To add one: see ARCHITECTURE.md, "Where do I add …?". A pass that has been applied is refused a second time, and so is one
//! that has no place beside another (`apart.rs`); one that needs another before it says so. The passes that do not refuse
//! each other commute.

mod addressing;
mod apart;
pub mod atomic;
pub mod bitmask;
pub mod cluster;
pub mod coarsen;
pub mod dependent;
pub mod flag;
pub mod gather;
pub mod grid_stride;
pub mod in_place;
pub mod lanes;
pub mod last_warp;
pub mod near;
pub mod one_block;
pub mod redux;
pub mod rows;
pub mod sequential;
pub mod serial;
pub mod shuffle;
pub mod streaming;
pub mod strided_index;
pub mod team;
pub mod ticket;
pub mod trigger;
pub mod unroll;
pub mod vectorize;

use crate::error::{Error, verified};
use reduce_ir::pass::{Pass, PassWord};
use reduce_ir::program::{Combine, Fold, How, Kernel, Program, Step, Tree};

/// Applies the next pass of the list, and verifies the result.
///
/// # Errors
/// The pass does not apply.
pub fn apply(program: Program, pass: Pass) -> Result<Program, Error> {
    let index = program.passes.len();
    let rewritten = rewrite(program, pass).map_err(|reason| Error::Refused { index, pass, reason })?;
    verified(rewritten, pass)
}

fn rewrite(program: Program, pass: Pass) -> Result<Program, String> {
    if program.passes.iter().any(|done| done.name() == pass.name()) {
        return Err(format!("`{}` is in the list already; write it once", pass.name()));
    }
    let rule = PassWord::named(pass.name()).and_then(|word| word.argument);
    if let (Some(rule), Some(argument)) = (rule, pass.argument())
        && !(rule.allowed)(argument.into())
    {
        return Err(format!("`{}` takes {}", pass.name(), rule.text));
    }
    if let Some(reason) = apart::refused(&program.passes, pass) {
        return Err(reason);
    }
    let mut rewritten = match pass {
        Pass::Serial => serial::serial(program),
        Pass::InPlace => in_place::in_place(program),
        Pass::Bitmask => bitmask::bitmask(program),
        Pass::StridedIndex => strided_index::strided_index(program),
        Pass::Sequential => sequential::sequential(program),
        Pass::LastWarp => last_warp::last_warp(program),
        Pass::Shuffle => shuffle::shuffle(program),
        Pass::Coarsen(units) => coarsen::coarsen(program, units),
        Pass::GridStride(blocks) => grid_stride::grid_stride(program, blocks),
        Pass::Unroll => unroll::unroll(program),
        Pass::Vectorize(width) => vectorize::vectorize(program, width),
        Pass::Lanes(lanes) => lanes::lanes(program, lanes),
        Pass::Rows => rows::rows(program),
        Pass::Streaming => streaming::streaming(program),
        Pass::Near => near::near(program),
        Pass::Redux => redux::redux(program),
        Pass::Gather => gather::gather(program),
        Pass::Atomic => atomic::atomic(program),
        Pass::Cluster(blocks) => cluster::cluster(program, blocks),
        Pass::OneBlock => one_block::one_block(program),
        Pass::Ticket => ticket::ticket(program),
        Pass::Flag => flag::flag(program),
        Pass::Dependent => dependent::dependent(program),
        Pass::Trigger => trigger::trigger(program),
    }?;
    rewritten.passes.push(pass);
    Ok(rewritten)
}

/// The fold of a kernel, to change.
fn fold_mut(kernel: &mut Kernel) -> Option<&mut Fold> {
    kernel.steps.iter_mut().find_map(|step| match step {
        Step::Fold(fold) => Some(fold),
        Step::Combine(_) | Step::Keep | Step::Exchange(_) => None,
    })
}

/// How accumulators meet: those of an operator that does not commute with their neighbours.
fn tree_of(program: &Program) -> Tree {
    if program.operation.commutative { Tree::Halving } else { Tree::Pairs }
}

/// A combination that joins a kernel, with its levels taken as the passes before it ask.
fn joining(program: &Program, mut combine: Combine) -> Combine {
    let asks = |pass| program.passes.contains(&pass);
    let ways = [
        (How::Unrolled, asks(Pass::Unroll)),
        (How::Redux, asks(Pass::Redux) && redux::takes(program, &combine)),
        (How::Gathered, asks(Pass::Gather) && gather::takes(combine)),
    ];
    ways.into_iter().filter(|(_, taken)| *taken).for_each(|(how, _)| combine.take(how));
    combine
}

/// The combinations of a kernel, to change.
fn combines_mut(kernel: &mut Kernel) -> impl Iterator<Item = &mut Combine> {
    kernel.steps.iter_mut().filter_map(|step| match step {
        Step::Combine(combine) => Some(combine),
        Step::Fold(_) | Step::Keep | Step::Exchange(_) => None,
    })
}

/// Why an operator that is not commutative cannot be reordered, and what to do instead.
fn ordered(program: &Program, instead: &str) -> Option<String> {
    let name = &program.operation.name;
    (!program.operation.commutative)
        .then(|| format!("`{name}` is not commutative, and this would reorder its elements; {instead}"))
}
