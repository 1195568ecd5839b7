//! Removes the brackets around fields, which are those of a macro call or absent.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Puts the fields into braces. Their span is that of the last token, where errors about a missing end belong.
pub(super) fn enclosed(tokens: TokenStream) -> TokenStream {
    let trees = inside_brackets(tokens.into_iter().collect());
    let end = trees.last().map(TokenTree::span);
    let mut group = Group::new(Delimiter::Brace, trees.into_iter().collect());
    if let Some(end) = end {
        group.set_span(end);
    }
    TokenTree::from(group).into()
}

/// The spellings of the macro call.
const CALLS: [&[&str]; 2] = [&["reduction", "!"], &["reducegen", ":", ":", "reduction", "!"]];

fn inside_brackets(mut trees: Vec<TokenTree>) -> Vec<TokenTree> {
    let is = |tree: Option<&TokenTree>, text: &str| tree.is_some_and(|tree| tree.to_string() == text);
    let starts = |call: &&&[&str]| call.iter().enumerate().all(|(i, text)| is(trees.get(i), text));
    if let Some(call) = CALLS.iter().find(starts) {
        trees.drain(..call.len());
        trees.pop_if(|last| is(Some(last), ";"));
    }
    if let [TokenTree::Group(group)] = trees.as_slice() {
        trees = group.stream().into_iter().collect();
    }
    if is(trees.first(), "<") && is(trees.last(), ">") && trees.len() > 1 {
        trees.pop();
        trees.remove(0);
    }
    trees
}
