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

/// The files of the command that read NumPy files. They are private there, so they are compiled here again.
#[allow(dead_code, reason = "only the code that reads files is used here")]
#[path = "../../reduce-cli/src"]
mod cli {
    pub(crate) mod dtype;
    pub(crate) mod npy;
}
// These files refer to each other from the crate root, as in the command.
use cli::{dtype, npy};
