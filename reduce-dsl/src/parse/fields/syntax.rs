//! Helpers for reading values.

use proc_macro2::Ident;
use std::fmt::Display;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

/// The message for documentation inside the braces.
pub(super) const DOCUMENTED: &str =
    "attributes and `///` are not allowed here; write `//`, or document the item before its `static`";

/// Returns an error at the next token; at the end of the input, at the last one.
pub(super) fn error(input: ParseStream, message: impl Display) -> syn::Error {
    syn::Error::new(input.span(), message)
}

/// Reads a word, which may be reserved in Rust; `expected` is the error for other tokens.
pub(super) fn word(input: ParseStream, expected: &str) -> syn::Result<Ident> {
    if input.peek(Ident::peek_any) { input.call(Ident::parse_any) } else { Err(error(input, expected)) }
}
