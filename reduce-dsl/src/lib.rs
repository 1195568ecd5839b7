//! What a reduction is: types, scalar expressions, operators, the specification and its parser, and the
//! kernel IR with its printer, verifier and interpreter. No I/O, no CUDA, no unsafe code.
//!
//! In reading order:
//! [`Scalar`] and [`Value`] → [`arith`] (what operations mean) → [`func`] (typed functions) →
//! [`operation`] and [`operators`] (what is computed) → [`spec`] and [`pass`] (what the user wrote) →
//! [`program`] (what passes rewrite) → [`expanded`] (what runs) → `interpreter` (what it means).
#![forbid(unsafe_code)]

pub mod arith;
pub mod constants;
pub mod eval;
pub mod expanded;
pub mod func;
#[cfg(feature = "interpreter")]
pub mod interpreter;
pub mod lanes;
pub mod laws;
pub mod library;
pub mod near;
pub mod operation;
pub mod operators;
pub mod ops;
#[cfg(feature = "parse")]
pub mod parse;
pub mod pass;
pub mod program;
#[cfg(feature = "parse")]
pub mod recognise;
pub mod redux;
mod scalar;
pub mod spec;
mod value;
pub mod words;

pub use half::{bf16, f16};
pub use scalar::{ParseScalarError, Scalar};
pub use spec::Spec;
pub use value::Value;
