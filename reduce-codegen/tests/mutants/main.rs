//! Mutation tests of generated kernels: a kernel that is changed where it matters is found out, by the verifier,
//! by a report of the interpreter, or by what it leaves in memory.
//!
//! `cargo test -p reduce-codegen --test mutants -- --nocapture` prints what was killed, and how. By default a
//! sample of the mutants; with `REDUCEGEN_FULL=1` all.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a mutation leaves alone what it does not name")]

mod barriers;
mod catalogue;
mod data;
mod equivalent;
mod judge;
mod kernels;
mod killed;
mod order;
mod ordered;
mod sites;
#[path = "../support/mod.rs"]
mod support;
mod tickets;
