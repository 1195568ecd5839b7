//! The results of the parser.

use super::closure::Closure;
use super::diagnostic::{Diagnostic, Extent};
use super::fields::Export;
use super::form::Form;
use crate::laws::Subject;
use proc_macro2::TokenStream;
use reduce_ir::Spec;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;
use std::fmt;
use syn::ItemFn;

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

/// A specification and the parts of it that rustc has to check.
#[derive(Clone)]
pub struct Read {
    /// The specification.
    pub parsed: Parsed<Extent>,
    /// The closures, for rustc to check.
    pub closures: Vec<Closure>,
    /// The structs of the user, in order: the accumulator's, and a new one that `finish` returns.
    pub structs: Vec<Record>,
    /// The Rust types of records that are no plain structs.
    pub forms: Vec<Form>,
    /// The Rust types of the inputs.
    pub inputs: Vec<Form>,
    /// The constants of the user, with the params of the operation that stand for them.
    pub constants: Vec<(Param, TokenStream)>,
    /// The text, if the specification depends on the values of constants. Then `parsed` has assumed ones.
    pub deferred: Option<Deferred>,
    /// The helper functions, for rustc to check.
    pub helpers: Vec<ItemFn>,
    /// The name of the struct of the params, if one is written.
    pub params: Option<proc_macro2::Ident>,
    /// The head of the item form.
    pub export: Option<Export>,
}

/// A specification that the program reads again, with the values of constants: [`with_constants`](super::with_constants).
#[derive(Clone, Debug)]
pub struct Deferred {
    /// The specification.
    pub text: String,
    /// The constants: the names that the text has for them, and expressions that rustc evaluates.
    pub constants: Vec<(String, TokenStream)>,
}

/// Prints the specification without tokens, which are long and unhelpful.
impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Read");
        shown.field("parsed", &self.parsed).field("structs", &self.structs).finish_non_exhaustive()
    }
}
