//! The one parser of specifications: the macro, the command line and `.reduce` files all come here.
//!
//! ```text
//! text --lex--> tokens --fields--> what is written, spanned --resolve--> Spec
//! ```
//!
//! Errors are collected and given all at once, each at its own place. [`tokens`] serves the macro; [`text`]
//! (feature `text`) lexes first and gives byte ranges. Input names are the names that emitted CUDA uses, so
//! they are restricted; the parameters of a closure are renamed to them, and only their order matters.

mod closure;
mod device;
mod diagnostic;
mod fields;
mod identity;
mod limits;
mod literal;
mod names;
mod resolve;
#[cfg(feature = "text")]
mod text;
mod typing;

pub use closure::Closure;
pub use diagnostic::{Diagnostic, Extent, Level};
#[cfg(feature = "text")]
pub use text::{Bytes, render, text};

use crate::{Scalar, Spec};
use diagnostic::Errors;
use proc_macro2::TokenStream;

/// A specification with the places that later errors point at. `S` is [`Extent`] for tokens, a byte range
/// for text.
#[derive(Clone, Debug)]
pub struct Parsed<S> {
    /// The specification.
    pub spec: Spec,
    /// Where its parts are.
    pub places: Places<S>,
    /// What the user should know although nothing is wrong.
    pub notes: Vec<Diagnostic<S>>,
}

/// Where the parts of a specification are. A part that is not written has the place of the whole.
#[derive(Clone, Debug)]
pub struct Places<S> {
    /// The value of `op`.
    pub op: S,
    /// The value of `block`.
    pub block: S,
    /// The value of `passes`.
    pub passes: S,
    /// Each pass of the list.
    pub pass: Vec<S>,
}

impl<S: Clone> Places<S> {
    /// Where the pass at `index` of the list is; the value of `passes` if the list is not written.
    pub fn pass(&self, index: usize) -> S {
        self.pass.get(index).unwrap_or(&self.passes).clone()
    }
}

/// What [`tokens`] reads.
#[derive(Debug)]
pub struct Read {
    /// The closure of `map` with the types it must have, wherever they are known: rustc checks it too.
    pub closure: Option<Closure>,
    /// The specification, or everything that is wrong.
    pub parsed: Result<Parsed<Extent>, Vec<Diagnostic<Extent>>>,
}

/// Reads the tokens of a specification: the fields alone, or the macro call in any brackets.
/// `from_data` gives the types of the inputs where neither `ty` nor `inputs` is written.
pub fn tokens(tokens: TokenStream, from_data: Option<&[Scalar]>) -> Read {
    let mut errors = Errors::default();
    if let Err(error) = limits::check(&tokens) {
        return Read { closure: None, parsed: Err(vec![error]) };
    }
    let fields = fields::Fields::read(tokens, &mut errors);
    let closure = closure::Written::read(fields.map.as_ref(), &mut errors);
    let (closure, parsed) = resolve::resolve(&fields, closure, from_data, &mut errors);
    let parsed = match parsed {
        Some(parsed) if errors.is_empty() => Ok(parsed),
        _ => Err(errors.finish()),
    };
    Read { closure, parsed }
}
