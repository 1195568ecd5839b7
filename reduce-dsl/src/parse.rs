//! The parser of specifications. The macro, the command line and `.reduce` files all use it.
//!
//! ```text
//! text --lex--> tokens --fields--> fields with their spans --resolve--> Spec
//! ```
//!
//! All errors are collected and returned together, each at its own place. [`tokens`] serves the macro. `text`,
//! which needs the feature of that name, lexes first and reports byte ranges. Emitted CUDA uses the input
//! names, so these are restricted. The parameters of a closure are renamed to the inputs; only their order
//! matters.

mod absent;
mod axes;
mod casts;
mod choices;
mod closure;
mod device;
mod diagnostic;
#[cfg(feature = "text")]
mod error;
mod fields;
mod foreign;
mod functions;
mod hygiene;
mod identity;
mod inputs;
mod judge;
mod limits;
mod literal;
mod methods;
mod names;
mod resolve;
pub(crate) mod rows;
mod schedule;
mod scope;
#[cfg(feature = "text")]
mod text;
mod typing;

pub use closure::Closure;
pub use diagnostic::{Diagnostic, Extent, Level};
#[cfg(feature = "text")]
pub use error::SpecError;
pub use names::{nearest, operator};
#[cfg(feature = "text")]
pub use text::{Bytes, spec, text};

use crate::laws::Subject;
use diagnostic::Errors;
use proc_macro2::TokenStream;
use reduce_ir::operation::Record;
use reduce_ir::{Scalar, Spec};
use std::fmt;
use typing::Dialect;

/// A specification with the places that later errors point at. `S` is [`Extent`] for tokens and a byte range
/// for text.
#[derive(Clone, Debug)]
pub struct Parsed<S> {
    /// The specification.
    pub spec: Spec,
    /// The places of its parts.
    pub places: Places<S>,
    /// The operation to try the laws on, restricted to elements that are present.
    pub subject: Subject,
    /// Notes for the user that are not errors.
    pub notes: Vec<Diagnostic<S>>,
}

/// The places of the parts of a specification. An omitted part has the place of the whole.
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
    /// Returns the place of the pass at `index` of the list; the value of `passes` if no list is written.
    pub fn pass(&self, index: usize) -> S {
        self.pass.get(index).unwrap_or(&self.passes).clone()
    }
}

/// Reads the tokens of a specification as the macro does: the fields alone, or the macro call in any brackets.
/// `from_data` gives the types of the inputs if neither `ty` nor `inputs` is written.
///
/// # Errors
/// All errors of the specification.
pub fn tokens(tokens: TokenStream, from_data: Option<&[Scalar]>) -> Result<Read, Vec<Diagnostic<Extent>>> {
    read(tokens, Dialect::Rust, from_data)
}

fn read(
    tokens: TokenStream,
    dialect: Dialect,
    from_data: Option<&[Scalar]>,
) -> Result<Read, Vec<Diagnostic<Extent>>> {
    limits::check(&tokens, dialect).map_err(|error| vec![error])?;
    let mut errors = Errors::default();
    let tokens = casts::mended(tokens, &mut errors);
    let fields = fields::Fields::read(tokens, &mut errors);
    let read = resolve::resolve(&fields, dialect, from_data, &mut errors);
    read.filter(|_| errors.is_empty()).ok_or_else(|| errors.finish())
}

/// A specification and the parts of it that rustc has to check.
#[derive(Clone)]
pub struct Read {
    /// The specification.
    pub parsed: Parsed<Extent>,
    /// The closures, for rustc to check.
    pub closures: Vec<Closure>,
    /// The structs of the user, in order: the accumulator's, and a new one that `finish` returns.
    pub structs: Vec<Record>,
    /// The head of the item form.
    pub export: Option<Export>,
}

/// Prints the specification without tokens, which are long and unhelpful.
impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Read");
        shown.field("parsed", &self.parsed).field("structs", &self.structs).finish_non_exhaustive()
    }
}

/// The head of the item form, `pub static NAME;`.
#[derive(Clone)]
pub struct Export {
    /// Attributes and documentation.
    pub attributes: Vec<syn::Attribute>,
    /// The visibility of the item.
    pub visibility: syn::Visibility,
    /// The name of the item.
    pub name: proc_macro2::Ident,
}
