//! The head of the item form: `pub static NAME;`.

use super::syntax::error;
use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Attribute, Token, Visibility};

/// The head of the item form, `pub static NAME;`.
#[derive(Clone)]
pub struct Export {
    /// Attributes and documentation.
    pub attributes: Vec<Attribute>,
    /// The visibility of the item.
    pub visibility: Visibility,
    /// The name of the item.
    pub name: Ident,
}

/// Reads the head, if there is one.
pub(super) fn read(input: ParseStream) -> syn::Result<Option<Export>> {
    let heads = input.peek(Token![#]) || input.peek(Token![pub]) || input.peek(Token![static]);
    if !(heads || input.peek(Token![const])) {
        return Ok(None);
    }
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility: Visibility = input.parse()?;
    let expected = "expected `static NAME;`, and then the fields";
    if input.peek(Token![const]) {
        return Err(error(input, "write `static`: a `const` would be lowered again at every use"));
    }
    input.parse::<Token![static]>().map_err(|it| syn::Error::new(it.span(), expected))?;
    let name = input.parse().map_err(|it: syn::Error| syn::Error::new(it.span(), expected))?;
    if !input.peek(Token![;]) {
        return Err(error(input, format!("expected `;` after `{name}`; its type follows from the fields")));
    }
    input.parse::<Token![;]>()?;
    Ok(Some(Export { attributes, visibility, name }))
}
