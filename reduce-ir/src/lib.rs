//! What a reduction is made of: scalar types, functions, operations, programs and statements, with their printers and
//! verifiers. No I/O, no CUDA text, no unsafe code.
//!
//! In reading order:
//! [`Scalar`] and [`Value`] → [`arith`] (what operations mean) → [`func`] (typed functions) and [`evaluate`] →
//! [`operation`] (what is computed) → [`spec`] and [`pass`] (what the user wrote) → [`program`] (what passes rewrite) →
//! [`statements`] (the statements that run).
#![forbid(unsafe_code)]

pub mod arith;
pub mod constants;
pub mod domain;
pub mod evaluate;
pub mod func;
pub mod keywords;
pub mod library;
pub mod operation;
pub mod ops;
pub mod pass;
pub mod program;
pub mod redux;
mod scalar;
pub mod spec;
pub mod statements;
mod value;

pub use domain::{Access, Domain, Extent};
pub use half::{bf16, f16};
pub use scalar::{ParseScalarError, Scalar};
pub use spec::Spec;
pub use value::Value;
