//! Names as rustc tells them apart in a closure, parts of which macros may have written.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// A name, and where macros write parts of a closure who wrote it: what a macro and its caller call the same are two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Without `r#`, which is no part of it.
    pub(super) word: String,
    writer: Option<String>,
}

impl Name {
    pub(super) fn of(ident: &Ident) -> Name {
        Name { word: ident.unraw().to_string(), writer: writer(ident.span()) }
    }

    /// One that nobody wrote.
    pub(super) fn plain(word: &str) -> Name {
        Name { word: word.to_owned(), writer: None }
    }
}

/// rustc says it in the debug output of a span only, as in `#4 bytes(10..12)`. Where it does not, nobody is told apart, and
/// closures in which that makes a difference mean what they would without macros.
fn writer(span: Span) -> Option<String> {
    let debug = format!("{span:?}");
    let (writer, _) = debug.strip_prefix('#')?.split_once(' ')?;
    Some(writer.to_owned())
}
