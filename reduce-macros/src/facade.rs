//! The path of the facade crate in the expansion: the `$crate` of the `reduction!` that users call, which stays
//! right if users rename or re-export the crate.

use proc_macro2::{Group, TokenStream, TokenTree};

/// The placeholder for the crate until the expansion is complete.
const PLACEHOLDER: &str = "__reducegen";

/// Replaces the placeholder by the crate; tokens without placeholder are returned unchanged.
pub(crate) fn named(facade: &TokenTree, tokens: TokenStream) -> TokenStream {
    renamed(facade, tokens.clone()).unwrap_or(tokens)
}

/// Returns `None` for tokens without placeholder. Those of the user are such, and keep the span of every
/// bracket.
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

/// Returns the group with other tokens inside.
fn again(group: &Group, inside: TokenStream) -> TokenTree {
    let mut new = Group::new(group.delimiter(), inside);
    new.set_span(group.span());
    new.into()
}
