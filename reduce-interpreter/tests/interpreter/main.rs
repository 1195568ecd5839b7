//! Tests of the interpreter on kernels of a few statements, each faulty and corrected.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod atomics;
mod blocks;
mod counts;
mod memory;
mod order;
mod support;
mod warps;
