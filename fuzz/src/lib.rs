//! Random and mutated inputs for every parser of reducegen, and the properties that must hold for each.
#![forbid(unsafe_code)]

mod cache;
pub mod check;
pub mod choices;
pub mod drive;
pub mod mutate;
#[cfg(feature = "cuda")]
pub mod nvrtc;
pub mod spec;
pub mod targets;
