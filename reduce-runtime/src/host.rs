//! The host backend: evaluates the association of a program, or one that cannot be told from it, on all cores, with the
//! bits of every device.
//!
//! A pass takes items through the levels of one kernel; passes repeat until one item is left. Accumulators
//! are kept as one vector of lanes for each field, so that one operation is one loop over contiguous lanes.

mod isa;
mod pass;
mod search;
mod source;
mod worker;

pub use isa::Isa;

use crate::Strided;
use reduce_dsl::Value;
use reduce_dsl::lanes::{LaneError, LanesRef};
use reduce_dsl::operation::Operation;
use reduce_dsl::ops::TypeError;
use reduce_dsl::program::Association;
use source::Source;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// The input is empty and the operator has no identity.
    #[error("`{operator}` of no elements has no value; give it at least one element")]
    Empty {
        /// The operator.
        operator: String,
    },
    /// The functions of the operation do not fit together: a bug of this project.
    #[error(
        "bug: the functions of `{operator}` do not fit together, or the params are not its own: {source}"
    )]
    Types {
        /// The operator.
        operator: String,
        /// Where they differ.
        source: TypeError,
    },
    /// An operation met lanes of a wrong type: a bug of this project.
    #[error(transparent)]
    Lanes(#[from] LaneError),
    /// The levels over partials leave as many as there were: a bug of this project.
    #[error("bug: the association leaves {items} items as they are")]
    Stuck {
        /// How many.
        items: usize,
    },
}

/// The result of an `operation` without params: see [`reduce_with`].
pub fn reduce<'a>(
    operation: &Operation,
    association: &Association,
    inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
) -> Result<Vec<Value>, HostError> {
    reduce_with(operation, association, inputs, &[])
}

/// The result of `operation` over `inputs`, one value for each field of its output, combined as
/// `association` says. The inputs have the types that the operation names, and one length, and lie in their data;
/// the params have the types that it names.
pub fn reduce_with<'a>(
    operation: &Operation,
    association: &Association,
    inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
    params: &[Value],
) -> Result<Vec<Value>, HostError> {
    reduce_at(Isa::best(), operation, association, inputs, params)
}

/// As [`reduce_with`], by the loops of that instruction set, whose bits are those of every other.
pub fn reduce_at<'a>(
    isa: Isa,
    operation: &Operation,
    association: &Association,
    inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
    params: &[Value],
) -> Result<Vec<Value>, HostError> {
    let inputs: Vec<_> = inputs.iter().map(|&input| input.into()).collect();
    let n = inputs.first().map_or(0, |input| input.len);
    let acc = if n > 0 {
        accumulate(isa, operation, association, inputs, params)?
    } else {
        operation.identity.clone().ok_or_else(|| HostError::Empty { operator: operation.name.clone() })?
    };
    Ok(operation.finished(&acc, n as u64, params)?)
}

/// The accumulator of at least one element.
fn accumulate(
    isa: Isa,
    operation: &Operation,
    association: &Association,
    inputs: Vec<Strided<LanesRef<'_>>>,
    params: &[Value],
) -> Result<Vec<Value>, HostError> {
    let found = search::ranges(isa, operation, &inputs, params)?;
    let elements = Source::elements(operation, inputs, params).map_err(types(operation))?;
    let items = match found {
        Some(ranges) => {
            pass::run_on(isa, &elements, &operation.combine, &pass::wide(elements.len()), ranges)?
        }
        None => pass::run(isa, &elements, &operation.combine, &association.first)?,
    };
    let combined = (&operation.acc, &operation.combine);
    let one = pass::until_one(isa, combined, &association.again, items, types(operation))?;
    Ok(one.iter().map(|field| field.get(0)).collect())
}

/// The functions of an operation differ in types.
fn types(operation: &Operation) -> impl Fn(TypeError) -> HostError {
    |source| HostError::Types { operator: operation.name.clone(), source }
}
