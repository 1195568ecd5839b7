//! Tests of the command as users run it: its output, its messages and its exit status.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod axes;
mod bad_data;
mod bad_request;
mod check;
mod columns;
mod compile;
mod cut;
#[cfg(unix)]
mod documented;
mod emit;
mod explain;
mod files;
mod folder;
mod ladder;
mod larger;
mod npy;
mod params;
mod partial;
mod ranks;
mod report;
#[path = "../../../tests/support/rotation.rs"]
mod rotation;
mod run;
mod shapes;
#[path = "../../../tests/support/skip.rs"]
mod skip;
mod streams;
mod threads;
mod trace;
mod view;
