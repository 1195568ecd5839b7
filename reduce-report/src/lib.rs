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
pub mod live;
mod page;
mod play;
mod recording;
mod spans;
mod stage;

pub use about::Sentence;
pub use data::Data;
pub use document::{Document, Read, Resources, Size, Time};
pub use page::{STYLE, VIEWER, page};
pub use play::{Outcome, Played, play, record_text};
pub use stage::{Published, StageView};

/// The reason why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernels cannot be made.
    #[error(transparent)]
    Codegen(#[from] reduce_codegen::Error),
    /// The interpreter found a fault: a bug of this project.
    #[error("bug of reducegen: {0}")]
    Wrong(String),
}
