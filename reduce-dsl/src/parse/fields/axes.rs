//! The value of `axes`: `i j -> i`, the axes of the input, slowest first, and the axes that are kept.

use super::syntax::error;
use crate::parse::diagnostic::Extent;
use proc_macro2::Ident;
use syn::Token;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

/// The axes as written.
pub(crate) struct Axes {
    /// The axes of the input, slowest first.
    pub(crate) from: Vec<Ident>,
    /// The axes of the result.
    pub(crate) to: Vec<Ident>,
    pub(crate) place: Extent,
}

impl Axes {
    /// Returns the canonical spelling.
    pub(crate) fn text(&self) -> String {
        let words = |names: &[Ident]| names.iter().map(Ident::to_string).collect::<Vec<_>>().join(" ");
        format!("{} -> {}", words(&self.from), words(&self.to)).trim_end().to_owned()
    }
}

/// Reads `i j -> i`.
pub(super) fn axes(input: ParseStream) -> syn::Result<Axes> {
    const EXPECTED: &str =
        "`axes` names the axes of the input, slowest first, and those that are kept, as in `axes: i j -> i`";
    let start = input.span();
    let from = idents(input)?;
    if from.is_empty() || !input.peek(Token![->]) {
        return Err(error(input, EXPECTED));
    }
    let arrow = input.parse::<Token![->]>()?.spans[1];
    let to = idents(input)?;
    let end = to.last().map_or(arrow, Ident::span);
    Ok(Axes { from, to, place: Extent { start, end } })
}

fn idents(input: ParseStream) -> syn::Result<Vec<Ident>> {
    let mut names = Vec::new();
    while input.peek(Ident::peek_any) {
        names.push(input.call(Ident::parse_any)?);
    }
    Ok(names)
}
