//! Names with the hygiene of rustc, for closures that macros have written in part.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// A name with its hygiene context. A name written by a macro differs from the same word written by its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The word without `r#`.
    pub(super) word: String,
    pub(super) context: Option<String>,
}

impl Name {
    pub(super) fn of(ident: &Ident) -> Name {
        Name { word: ident.unraw().to_string(), context: context(ident.span()) }
    }

    /// Returns a name that does not come from source text.
    pub(super) fn plain(word: &str) -> Name {
        Name { word: word.to_owned(), context: None }
    }
}

/// Returns the hygiene context of a span from its debug output, as in `#4 bytes(10..12)`; rustc offers no other
/// way. Without it, names are told apart by their words alone.
fn context(span: Span) -> Option<String> {
    let debug = format!("{span:?}");
    let (context, _) = debug.strip_prefix('#')?.split_once(' ')?;
    Some(context.to_owned())
}
