//! Mutation tests of generated kernels. A changed kernel is detected by the verifier, by a report of the interpreter, or by
//! its memory after the launch.
//!
//! `cargo test -p reduce-codegen mutants:: -- --nocapture` prints the number of killed mutants for each check. By
//! default a sample of the mutants is tested; with `REDUCEGEN_FULL=1` all.
#![allow(clippy::wildcard_enum_match_arm, reason = "a mutation leaves alone what it does not name")]

mod barriers;
mod catalogue;
mod data;
mod equivalent;
mod group_equivalent;
mod group_mutations;
mod groups;
mod judge;
mod kernels;
mod killed;
mod order;
mod ordered;
mod sites;
mod tickets;

use crate::support;
