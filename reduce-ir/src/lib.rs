//! The intermediate representation of reductions: scalar types, functions, operations, programs and statements, with their
//! printers, parsers and verifiers. It has no I/O, no CUDA text and no unsafe code.
//!
//! In reading order:
//! [`Scalar`] and [`Value`] → [`arith`] (the meaning of scalar operations) → [`func`] (typed functions) and [`evaluate`] →
//! [`operation`] (the functions of a reduction) → [`spec`] and [`pass`] (the request of the user) → [`program`] (the steps that
//! passes rewrite) → [`statements`] (the kernels that run).
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod arith;
pub mod axes;
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
pub mod value;

pub use axes::Axes;
pub use domain::{Access, Beside, Domain, Extent};
pub use half::{bf16, f16};
pub use scalar::{ParseScalarError, Scalar};
pub use spec::Spec;
pub use value::Value;
