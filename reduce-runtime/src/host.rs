//! The host backend: evaluates the association of a program on all cores, with the bits of every device.
//!
//! A pass takes items through the levels of one kernel; passes repeat until one item is left. A pass has functions (data, in
//! `functions.rs`), a schedule (which loop reads the elements, in `schedule.rs`) and workers (the loops, in `worker.rs`).
//! Accumulators are one vector of lanes per field, so that one operation is one loop over contiguous lanes.

mod collect;
mod error;
mod finish;
mod functions;
mod groups;
mod isa;
mod items;
mod keys;
mod offsets;
mod parts;
mod pass;
mod plan;
mod pool;
mod probe;
mod runs;
mod schedule;
mod search;
mod segments;
mod source;
mod threads;
mod worker;

pub use error::HostError;
pub use isa::Isa;
pub use keys::KeyPlan;
pub(crate) use offsets::places_of;
pub use parts::Part;
pub use plan::Plan;
pub use runs::run_offsets;

use crate::strided::Strided;
use reduce_ir::Value;
use reduce_ir::operation::Operation;
use reduce_ir::program::Association;
use reduce_lanes::LanesRef;

/// The result of no elements.
///
/// # Errors
/// The operation has no identity, and the specification no `empty`.
pub fn empty_result(operation: &Operation, params: &[Value]) -> Result<Vec<Value>, HostError> {
    if let Some(empty) = operation.stored_empty() {
        return Ok(empty);
    }
    Ok(operation.finished(&plan::empty_accumulator(operation)?, 0, params)?)
}

/// Reduces `inputs` by an `operation` without params, with a [`Plan`] for this call alone.
///
/// # Errors
/// As [`Plan::reduce`].
pub fn reduce<'a>(
    operation: &Operation,
    association: &Association,
    inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
) -> Result<Vec<Value>, HostError> {
    reduce_with(operation, association, inputs, &[])
}

/// Reduces `inputs` by an `operation` with params, with a [`Plan`] for this call alone.
///
/// # Errors
/// As [`Plan::reduce`].
pub fn reduce_with<'a>(
    operation: &Operation,
    association: &Association,
    inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
    params: &[Value],
) -> Result<Vec<Value>, HostError> {
    Plan::new(operation)?.reduce(association, inputs, params)
}
