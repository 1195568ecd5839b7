//! Loads that a thread has in flight at once.

/// Loads of a fold that is unrolled. With fewer, a thread waits longer. More leave registers for fewer warps, or the compiler
/// delays some of them. Measured on an H200 (docs/decisions.md).
pub(crate) const LOADS_IN_FLIGHT: u32 = 4;

/// Loads of the last block, which folds small partials and has nothing else to wait for.
pub(crate) const PARTIALS_IN_FLIGHT: u32 = 8;
