//! The language of reductions: the [named operators](operators), the parser of specifications, and the
//! [laws] that operations must keep. No I/O, no CUDA, no unsafe code, and no vectors: functions are
//! evaluated on single values.
#![forbid(unsafe_code)]

#[cfg(feature = "ladder")]
pub mod ladder;
pub mod laws;
pub mod operators;
#[cfg(feature = "parse")]
pub mod parse;
#[cfg(feature = "parse")]
pub mod recognise;
