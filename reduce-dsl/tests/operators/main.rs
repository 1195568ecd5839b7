//! The table of operators: its documentation, and every special value that is written down there. Each result is that of
//! every way to put the elements together, with and without fill.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod absent;
mod apply;
mod documented;
mod recognised;
mod special;
mod traps;
mod ways;
