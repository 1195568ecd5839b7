//! How the expansion names the crate of the macro: as `$crate` of the `reduction!` that users call, which is that crate
//! whatever they name it, and whoever exports it again.

use proc_macro2::{Group, TokenStream, TokenTree};

/// What stands for the name until the expansion is made.
const PLACEHOLDER: &str = "__reducegen";

/// The tokens, which name the crate so; as they are, where they do not name it.
pub(crate) fn named(facade: &TokenTree, tokens: TokenStream) -> TokenStream {
    renamed(facade, tokens.clone()).unwrap_or(tokens)
}

/// What users wrote does not name the crate: it stays as it is, with the place of every bracket.
fn renamed(facade: &TokenTree, tokens: TokenStream) -> Option<TokenStream> {
    let mut found = false;
    let mut rename = |tree| {
        let new = match &tree {
            TokenTree::Group(group) => renamed(facade, group.stream()).map(|inside| again(group, inside)),
            TokenTree::Ident(ident) if ident == PLACEHOLDER => Some(facade.clone()),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
        };
        found |= new.is_some();
        new.unwrap_or(tree)
    };
    let tokens = tokens.into_iter().map(&mut rename).collect();
    found.then_some(tokens)
}

/// The group with other tokens.
fn again(group: &Group, inside: TokenStream) -> TokenTree {
    let mut new = Group::new(group.delimiter(), inside);
    new.set_span(group.span());
    new.into()
}
