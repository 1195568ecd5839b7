//! Random and mutated inputs for every reader of reducegen, and what must hold of each.
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

/// The files of the command that read NumPy files, which it shows nobody.
#[allow(dead_code, reason = "only the code that reads files is used here")]
#[path = "../../reduce-cli/src"]
mod cli {
    pub(crate) mod dtype;
    pub(crate) mod npy;
}
// The root is where these files find each other in the command.
use cli::{dtype, npy};
