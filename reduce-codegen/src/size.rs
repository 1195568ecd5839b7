//! The size of a program for a compiler, and its limit.
//!
//! NVRTC can take seconds and gigabytes for a few lines of a specification. A division is about 50 instructions, and
//! each unrolled element of a load unit has a copy of `map`. NVRTC cannot be interrupted, so programs are measured
//! before. Weights and limit were measured: docs/decisions.md.

mod copies;
mod weight;

use crate::error::Error;
use crate::lower;
use crate::names::in_kernels;
use copies::Copies;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::statements::LoweredKernel;
use std::fmt;
use weight::{costly, weight};

/// The greatest size that [`check_size`] accepts. NVRTC 13.0 takes a few seconds and half a gigabyte for it.
pub const LARGEST: u64 = 50_000;

/// The size of a program, in additions of `f32`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The size of the whole program.
    pub total: u64,
    /// The function whose copies are the largest part.
    pub largest: Inlined,
}

/// A function with its copies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inlined {
    /// The field of the specification that it comes from: `map`, `op`, `fold` or `finish`.
    pub field: &'static str,
    /// The size of one copy.
    pub weight: u64,
    /// The copies in the kernels, after unrolling.
    pub copies: u64,
    /// The kinds of its operations that take many instructions, largest first, each with their number.
    pub costly: Vec<(String, usize)>,
}

/// Checks that NVRTC compiles a program in seconds.
///
/// # Errors
/// [`Error::TooLarge`], which says which part is too large. Or the lowering breaks a rule of its verifier, which is a
/// bug.
pub fn check_size(program: &Program) -> Result<(), Error> {
    let size = size(program)?;
    if size.total <= LARGEST {
        return Ok(());
    }
    Err(Error::TooLarge { fix: fix(program, &size), size: Box::new(size), limit: LARGEST })
}

/// Returns the size of a verified program.
///
/// # Errors
/// The lowering breaks a rule of its verifier, which is a bug.
pub fn size(program: &Program) -> Result<Size, Error> {
    let program = &Program { operation: in_kernels(&program.operation), ..program.clone() };
    let lowered = lower(program)?;
    let launched = if program.has_one_launch() { &lowered.kernels[..1] } else { &lowered.kernels };
    Ok(size_of(&program.operation, launched))
}

/// Returns the size of lowered kernels.
pub(crate) fn size_of(operation: &Operation, launched: &[LoweredKernel]) -> Size {
    let copies = Copies::of(operation, launched);
    let functions = [
        ("map", Some(&operation.map), copies.map),
        ("op", Some(&operation.combine), copies.combine),
        ("fold", operation.fold.as_ref(), copies.fold),
        ("by", operation.key.as_ref(), copies.key),
        ("finish", Some(&operation.finish), copies.finish),
    ];
    let inlined = functions.into_iter().filter_map(|(field, func, copies)| {
        func.map(|func| Inlined { field, weight: weight(func), copies, costly: costly(func) })
    });
    let inlined: Vec<_> = inlined.collect();
    let total = inlined.iter().fold(copies.others, |sum, it| sum.saturating_add(it.size()));
    let largest = inlined.into_iter().max_by_key(Inlined::size).unwrap_or_default();
    Size { total, largest }
}

impl Inlined {
    fn size(&self) -> u64 {
        self.weight.saturating_mul(self.copies)
    }
}

/// Prints `` `map`, with 9 square roots of f64, in 96 copies ``.
impl fmt::Display for Inlined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.field)?;
        for (place, (what, count)) in self.costly.iter().enumerate() {
            let joint = if place == 0 { ", with" } else { " and" };
            write!(f, "{joint} {count} {what}")?;
        }
        let comma = if self.costly.is_empty() { "" } else { "," };
        let copies = if self.copies == 1 { "copy" } else { "copies" };
        write!(f, "{comma} in {} {copies}", self.copies)
    }
}

/// Returns what to write instead. Even a single copy may be too large.
fn fix(program: &Program, size: &Size) -> String {
    if size.largest.weight > LARGEST / FEWEST {
        return format!("compute less in `{}`", size.largest.field);
    }
    let (fold, mut words) = (program.kernels[0].fold(), Vec::new());
    let units = fold.units().unwrap_or(1);
    if fold.hints.unrolled && units > 1 {
        words.push(format!("leave out `{}`", Pass::plain("unroll")));
    }
    if fold.width > 1 {
        words.push(format!("write a smaller `vectorize` than {}", fold.width));
    }
    if fold.hints.unrolled && units > 1 {
        words.push(format!("a smaller `coarsen` than {units}"));
    }
    if words.is_empty() {
        return format!("compute less in `{}`, or write `passes: [shuffle]`", size.largest.field);
    }
    format!("{}, or compute less in `{}`", words.join(", "), size.largest.field)
}

/// About the smallest number of copies of a function that any list of passes reaches.
const FEWEST: u64 = 8;
