//! The command, run as users run it: what it prints, where, and how it ends.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_data;
mod bad_request;
mod check;
#[cfg(unix)]
mod documented;
mod emit;
mod explain;
mod files;
mod folder;
mod ladder;
mod npy;
mod params;
mod run;
#[path = "../../../tests/support/skip.rs"]
mod skip;
mod streams;
mod threads;
mod trace;
mod view;
