//! Tests the laws: every operator of the table satisfies them, wrong operators are rejected, and right ones are
//! accepted.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod closures;
mod effort;
mod expr;
mod right;
#[path = "../../../tests/support/rotation.rs"]
mod rotation;
mod rows;
mod wrong;
