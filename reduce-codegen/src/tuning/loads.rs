//! The loads that a thread has in flight at once.

/// The loads of an unrolled fold. With fewer, a thread waits longer. More leave registers for fewer warps, or the
/// compiler delays some of them. Measured on an H200 (docs/decisions.md).
pub(crate) const LOADS_IN_FLIGHT: u32 = 4;

/// The loads of the last block, which folds small partials and has no other work in flight.
pub(crate) const PARTIALS_IN_FLIGHT: u32 = 8;
