//! How far float sums are from the exact ones: within the bounds that the documentation states, measured with a
//! superaccumulator, which rounds nothing.
//!
//! By default a sample; with `REDUCEGEN_FULL=1` all cases, best with `cargo test --release --test accuracy`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/exact.rs"]
mod exact;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "accuracy/superaccumulator.rs"]
mod superaccumulator;
