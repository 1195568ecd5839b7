//! All tests of this crate, in one program: it is linked once, and its tests run side by side.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod auto;
mod corpus;
mod counted;
mod dependent;
mod flags;
mod functions;
mod input_names;
mod keys;
mod lowering;
mod mutants;
mod narrow_index;
mod narrow_rewrite;
mod negatives;
mod ordered;
mod pass_texts;
mod passes;
mod program_rules;
mod program_text;
mod redux;
mod runs;
mod segments;
mod shapes;
mod statement_rules;
mod statements_text;
mod support;
mod teams;
mod unaligned;
mod verifiers;
