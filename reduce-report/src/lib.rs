//! The report of a reduction: data that a page shows.
//!
//! A [`Document`] has the meaning of a specification, and for each pass its program, CUDA, counts and every step of the
//! interpreter. It is JSON for the viewer, plain JavaScript that [`page`](fn@page) puts into one HTML file. The command and the
//! playground make the same documents: this crate contains no I/O, no GPU and no clock.
#![forbid(unsafe_code)]

mod about;
mod association;
pub mod counts;
mod data;
mod document;
pub mod elements;
mod frames;
mod kernels;
pub mod live;
mod page;
mod play;
mod recording;
mod size;
mod spans;
mod stage;

pub use about::Sentence;
pub use data::{Cutting, Data};
pub use document::{Document, Read, Resources, Size, Time};
pub use kernels::{CutProgram, Kernels};
pub use page::{STYLE, VIEWER, page};
pub use play::{Outcome, Played, play};
pub use stage::{Published, StageView};

/// The reason why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernels cannot be made.
    #[error(transparent)]
    Codegen(#[from] reduce_codegen::Error),
    /// A key is no group.
    #[error(
        "the key of element {element} is not one of the {groups} groups; write `others: drop` to leave such elements out"
    )]
    Key {
        /// The first such element.
        element: u64,
        /// The number of groups.
        groups: u64,
    },
    /// There are too many groups of keys for a page.
    #[error("a report shows at most {most} groups of keys, not {groups}; write fewer")]
    TooManyGroups {
        /// The number of groups.
        groups: u64,
        /// The limit.
        most: u64,
    },
    /// The groups are runs of keys.
    #[error(
        "a report shows segments and numbered keys, not runs of keys; give the offsets of the runs as `segments`, or write `groups: 8`"
    )]
    Runs,
    /// Several axes are kept beside segments.
    #[error("there are kernels for one kept axis beside `segments`; merge the kept axes")]
    KeptAxes,
    /// The interpreter found a fault: a bug of this project.
    #[error("bug of reducegen: {0}")]
    Wrong(String),
}
