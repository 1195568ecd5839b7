//! The language of reductions: the [named operators](operators), the parser of specifications, and the [laws]
//! that operations must keep. The crate contains no I/O, no CUDA and no unsafe code. It evaluates functions on
//! single values, without vectors.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "ladder")]
pub mod ladder;
pub mod laws;
pub mod operators;
#[cfg(feature = "parse")]
pub mod parse;
#[cfg(feature = "parse")]
pub mod recognise;
