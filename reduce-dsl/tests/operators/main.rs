//! Tests the table of operators: its documentation, and every special value that the documentation names.
//! Results are checked for every grouping of the elements, with and without fill.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod absent;
mod apply;
mod documented;
mod recognised;
mod special;
mod traps;
mod ways;
