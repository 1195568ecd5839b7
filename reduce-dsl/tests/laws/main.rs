//! The laws: every operator of the table satisfies them, wrong operators are found out, right ones are not accused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod closures;
mod effort;
mod expr;
mod right;
mod rows;
mod wrong;
