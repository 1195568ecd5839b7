//! The interpreter, on kernels of a few statements: what each of them shows, wrong and put right.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod atomics;
mod blocks;
mod counts;
mod memory;
mod order;
mod support;
mod warps;
