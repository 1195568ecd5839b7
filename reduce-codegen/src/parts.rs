//! The program of a part of the data: its kernel over the inputs leaves the accumulator of each chunk, and other parts of the library
//! combine them.
//!
//! It has the tiles of the program for the whole, so its chunks are those of the whole. Its result is the accumulator itself, because a
//! launch of one block leaves its result. The position of the first element is a param, [`FIRST`].

use crate::error::Error;
use crate::programs::{compile, variant_of};
use crate::tuning::Tuning;
use crate::tuning::tiers::Variant;
use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::operation::{Argument, Operation};
use reduce_ir::ops::{Bin, TypeError};
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::{Scalar, Spec};

/// The name of the position of the first element of a part: the last param of the program, if functions use positions.
pub const FIRST: &str = "first_of_part";

/// The passes that combine the blocks of a grid, or rely on the number of all elements.
const OF_GRIDS: [&str; 7] = ["one_block", "ticket", "flag", "atomic", "dependent", "trigger", "narrow_index"];

/// Returns the program of a part of n elements in all. `None`: no kernel leaves the accumulators of these chunks.
///
/// # Errors
/// A pass does not apply, or a kernel does not fit a block.
pub fn of_part(spec: &Spec, tuning: Tuning, n: u64) -> Result<Option<Program>, Error> {
    let whole = compile(spec, &variant_of(spec, Tuning::DEFAULT, n))?;
    let variant = variant_of(spec, tuning.without_clusters(), n);
    // Positions in the whole are wide, and the instruction of `redux` takes narrow ones.
    let is_narrow = variant.passes.iter().any(|pass| pass.name == "narrow_index");
    let is_left_out = |pass: &Pass| OF_GRIDS.contains(&pass.name) || is_narrow && pass.name == "redux";
    let passes: Vec<_> = variant.passes.iter().filter(|pass| !is_left_out(pass)).copied().collect();
    let program = compile(spec, &Variant { up_to: None, passes, ..variant })?;
    if program.association().first != whole.association().first {
        return Ok(None);
    }
    let operation = of_accumulators(&program.operation);
    Ok(operation.ok().map(|operation| Program { operation, ..program }))
}

/// Returns the operation whose result is the accumulator. It adds the param to positions.
fn of_accumulators(operation: &Operation) -> Result<Operation, TypeError> {
    let acc = FuncBuilder::new(operation.acc.params("a"));
    let results = acc.params();
    let mut part = operation.clone();
    part.finish = acc.build(results);
    part.output = operation.acc.clone();
    (part.empty, part.nothing) = (None, None);
    if operation.is_indexed() {
        let arguments = operation.map_arguments();
        part.map = counted_from_first(&operation.map, &arguments)?;
        let fold = operation.fold.as_ref().zip(operation.fold_arguments());
        part.fold = fold.map(|(fold, arguments)| counted_from_first(fold, &arguments)).transpose()?;
        part.params.push(Param::new(FIRST, Scalar::U64));
    }
    Ok(part)
}

/// Returns the same function of the position in the whole.
fn counted_from_first(func: &Func, arguments: &[Argument]) -> Result<Func, TypeError> {
    let Some(index) = arguments.iter().position(|argument| *argument == Argument::Index) else {
        return Ok(func.clone());
    };
    let first = Param::new(FIRST, Scalar::U64);
    let mut f = FuncBuilder::new(func.params().iter().cloned().chain([first]).collect());
    let mut ids = f.params();
    let Some(first) = ids.pop() else { return Ok(func.clone()) };
    ids[index] = f.bin(Bin::Add, ids[index], first)?;
    let results = f.call(func, &ids)?;
    Ok(f.build(results))
}
