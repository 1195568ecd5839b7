//! Repairs casts that would stop the parser: `x as f32 < y`, where Rust reads `<` as the start of type
//! arguments, and `as` without a type. Both are reported, and repaired so that the rest is read.

use super::diagnostic::{Errors, Extent};
use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};

/// Returns the tokens with every cast repaired. The caller limits the nesting depth of brackets.
pub(super) fn repaired(tokens: TokenStream, errors: &mut Errors) -> TokenStream {
    let trees: Vec<_> = tokens.into_iter().map(|tree| inside(tree, errors)).collect();
    let one = |(at, tree): (usize, &TokenTree)| {
        let before = at.checked_sub(1).map(|before| &trees[before]);
        replacement(tree, before, &trees[at + 1..], errors)
    };
    trees.iter().enumerate().filter_map(one).collect()
}

/// Returns the replacement of a tree, given the trees before and after it; `None` removes the tree.
fn replacement(
    tree: &TokenTree,
    before: Option<&TokenTree>,
    after: &[TokenTree],
    errors: &mut Errors,
) -> Option<TokenTree> {
    let is_cast = before.is_some_and(is_as);
    match tree {
        TokenTree::Ident(_) if is_as(tree) && has_value(before) && lacks_type(after) => {
            errors.add(tree.span(), "a type is missing after `as`").help("write it, as in `x as f32`");
            None
        }
        TokenTree::Literal(_) if is_cast => None,
        TokenTree::Ident(ty) if is_cast && let Some((sign, place)) = opening(after) => {
            report(sign, place, ty, errors);
            Some(parenthesized(ty))
        }
        TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Group(_) | TokenTree::Punct(_) => {
            Some(tree.clone())
        }
    }
}

/// Repairs the trees inside brackets. A group without errors is returned unchanged, with all its places.
fn inside(tree: TokenTree, errors: &mut Errors) -> TokenTree {
    let TokenTree::Group(group) = &tree else { return tree };
    let before = errors.count();
    let mut repaired = Group::new(group.delimiter(), repaired(group.stream(), errors));
    repaired.set_span(group.span());
    if errors.count() > before { repaired.into() } else { tree }
}

fn is_as(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Ident(word) if word == "as")
}

/// Returns whether a value can end at that tree.
fn has_value(before: Option<&TokenTree>) -> bool {
    before.is_some_and(|tree| !matches!(tree, TokenTree::Punct(_)))
}

/// Returns whether the next tree cannot start a type.
fn lacks_type(after: &[TokenTree]) -> bool {
    match after.first() {
        None | Some(TokenTree::Literal(_)) => true,
        Some(TokenTree::Punct(sign)) => !"<&*!:?'".contains(sign.as_char()),
        Some(TokenTree::Ident(_) | TokenTree::Group(_)) => false,
    }
}

/// Returns the sign after a type that Rust reads as the start of type arguments: `<` or `<<`, but not `<=`.
fn opening(after: &[TokenTree]) -> Option<(&'static str, Extent)> {
    let Some(TokenTree::Punct(first)) = after.first() else { return None };
    let next = match after.get(1) {
        Some(TokenTree::Punct(next)) if first.spacing() == Spacing::Joint => Some(next),
        _ => None,
    };
    let place = Extent::from(first.span());
    match (first.as_char(), next.map(|next| (next.as_char(), next.span()))) {
        ('<', Some(('=', _))) => None,
        ('<', Some(('<', end))) => Some(("<<", Extent { end, ..place })),
        ('<', _) => Some(("<", place)),
        _ => None,
    }
}

fn report(sign: &str, place: Extent, ty: &Ident, errors: &mut Errors) {
    let message = format!("Rust takes this `{sign}` for the start of type arguments of `{ty}`");
    errors.add(place, message).help(format!("write parentheses, as in `(x as {ty}) {sign} y`"));
}

fn parenthesized(ty: &Ident) -> TokenTree {
    let mut group = Group::new(Delimiter::Parenthesis, TokenTree::from(ty.clone()).into());
    group.set_span(ty.span());
    group.into()
}
