//! Float sums are within the error bounds that the documentation states. A superaccumulator, which never rounds, gives the
//! exact sums.
//!
//! Runs a sample by default, and all cases with `REDUCEGEN_FULL=1`, best with `cargo test --release --test accuracy`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "accuracy/bounds.rs"]
mod bounds;
#[path = "support/closures.rs"]
mod closures;
#[path = "accuracy/data.rs"]
mod data;
#[path = "support/exact.rs"]
mod exact;
#[path = "../reduce-codegen/tests/support/operations.rs"]
#[allow(dead_code, reason = "random specifications are for other tests")]
mod operations;
#[path = "../reduce-codegen/tests/support/random.rs"]
#[allow(dead_code, reason = "random specifications are for other tests")]
mod random;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "support/subjects.rs"]
#[allow(dead_code, reason = "only sums are measured")]
mod subjects;
#[path = "accuracy/superaccumulator.rs"]
mod superaccumulator;
#[path = "accuracy/table.rs"]
mod table;
