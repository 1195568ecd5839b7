//! Random and mutated inputs for every reader of reducegen, and what must hold of each.
#![forbid(unsafe_code)]

pub mod check;
pub mod choices;
#[cfg(feature = "cuda")]
pub mod nvrtc;
pub mod spec;
