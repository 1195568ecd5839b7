//! The specification: what to compute and by which schedule. What the parser gives and lowering takes.

use crate::operation::Operation;
use crate::pass::Pass;
use std::fmt;

/// A checked specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// What is computed.
    pub operation: Operation,
    /// The specification in its canonical spelling, which parses to this specification again.
    pub text: String,
    /// Threads per block, if the user said: a power of two, 32 … 1024.
    pub block: Option<u32>,
    /// The schedule.
    pub passes: Passes,
}

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Passes {
    /// The library's choice for the operation.
    Auto,
    /// These, in this order.
    List(Vec<Pass>),
}

impl Spec {
    /// Threads per block where neither the user nor `auto` says otherwise.
    pub const BLOCK: u32 = 256;
}

/// As it is written: `auto`, or `[shuffle, coarsen(4)]`.
impl fmt::Display for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Passes::Auto => f.write_str("auto"),
            Passes::List(passes) => write!(f, "{}", Listed(passes)),
        }
    }
}

/// Passes as they are written in a list.
pub struct Listed<'a>(pub &'a [Pass]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(Pass::to_string).collect();
        write!(f, "[{}]", words.join(", "))
    }
}
