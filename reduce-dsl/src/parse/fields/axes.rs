//! The values of `axes` and `segments`: `b h w c -> b c`, and `16`.

use super::syntax::{error, word};
use crate::parse::diagnostic::Extent;
use proc_macro2::{Ident, TokenStream};
use reduce_ir::Scalar;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{LitInt, Token, braced, parenthesized, token};

/// The axes as written.
pub(crate) struct Axes {
    /// The axes of the inputs.
    pub(crate) from: Inputs,
    /// The axes of the result.
    pub(crate) to: Vec<Term>,
}

/// The left side.
pub(crate) enum Inputs {
    /// The axes of every input, slowest first.
    Alike(Vec<Term>),
    /// The axes of each input, between braces.
    Named(Vec<(Ident, Vec<Term>)>, Extent),
}

/// A word of either side.
pub(crate) enum Term {
    /// `..`.
    Leading(Extent),
    /// `b`.
    Name(Ident),
    /// `16`.
    Number(LitInt),
    /// `(s 16)`.
    Split(Vec<Term>, Extent),
}

impl Term {
    /// Returns the place.
    pub(crate) fn place(&self) -> Extent {
        match self {
            Term::Leading(place) | Term::Split(_, place) => *place,
            Term::Name(name) => name.span().into(),
            Term::Number(number) => number.span().into(),
        }
    }

    /// Returns the spelling.
    pub(crate) fn text(&self) -> String {
        match self {
            Term::Leading(_) => "..".to_owned(),
            Term::Name(name) => name.to_string(),
            Term::Number(number) => number.to_string(),
            Term::Split(terms, _) => format!("({})", Term::list(terms)),
        }
    }

    /// Returns the spelling of several terms.
    pub(crate) fn list(terms: &[Term]) -> String {
        terms.iter().map(Term::text).collect::<Vec<_>>().join(" ")
    }
}

/// Reads `b h w c -> b c`.
pub(super) fn axes(input: ParseStream) -> syn::Result<Axes> {
    const EXPECTED: &str = "`axes` names the axes of the input, slowest first, and those that are kept, \
                            as in `axes: b h w c -> b c`";
    let from = if input.peek(token::Brace) { named(input)? } else { Inputs::Alike(terms(input)?) };
    let is_empty = matches!(&from, Inputs::Alike(terms) if terms.is_empty());
    if is_empty || !input.peek(Token![->]) {
        return Err(error(input, EXPECTED));
    }
    input.parse::<Token![->]>()?;
    Ok(Axes { from, to: terms(input)? })
}

/// Reads `{ x: b c, w: c }`.
fn named(input: ParseStream) -> syn::Result<Inputs> {
    let content;
    let brace = braced!(content in input);
    let all = patterns(&content);
    // Tokens left over would be reported a second time.
    content.parse::<TokenStream>()?;
    Ok(Inputs::Named(all?, brace.span.join().into()))
}

fn patterns(input: ParseStream) -> syn::Result<Vec<(Ident, Vec<Term>)>> {
    let mut all = Vec::new();
    while !input.is_empty() {
        let name = word(input, "expected the name of an input and its axes, as in `x: b c`")?;
        let expected = format!("expected `:` and the axes of `{name}`, as in `{name}: b c`");
        if !input.peek(Token![:]) || input.peek(Token![::]) {
            return Err(syn::Error::new(name.span(), expected));
        }
        input.parse::<Token![:]>()?;
        let terms = terms(input)?;
        if terms.is_empty() {
            return Err(syn::Error::new(name.span(), expected));
        }
        if !(input.is_empty() || input.peek(Token![,])) {
            return Err(error(input, "expected `,` and the axes of the next input"));
        }
        input.parse::<Option<Token![,]>>()?;
        all.push((name, terms));
    }
    Ok(all)
}

/// Reads terms up to another token.
fn terms(input: ParseStream) -> syn::Result<Vec<Term>> {
    let mut terms = Vec::new();
    while let Some(term) = term(input)? {
        terms.push(term);
    }
    Ok(terms)
}

fn term(input: ParseStream) -> syn::Result<Option<Term>> {
    Ok(Some(if input.peek(Ident::peek_any) {
        Term::Name(input.call(Ident::parse_any)?)
    } else if input.peek(LitInt) {
        Term::Number(input.parse()?)
    } else if input.peek(token::Paren) {
        split(input)?
    } else if input.peek(Token![...]) || input.peek(Token![..=]) {
        return Err(error(input, "leading axes are written `..`"));
    } else if input.peek(Token![..]) {
        Term::Leading(Extent::of(&input.parse::<Token![..]>()?))
    } else {
        return Ok(None);
    }))
}

/// Reads `(s 16)`.
fn split(input: ParseStream) -> syn::Result<Term> {
    let content;
    let paren = parenthesized!(content in input);
    let all = terms(&content);
    let rest = content.fork();
    // Tokens left over would be reported a second time.
    content.parse::<TokenStream>()?;
    let all = all?;
    if !rest.is_empty() {
        return Err(error(&rest, "expected an axis: a name or a length, as in `(s 16)`"));
    }
    Ok(Term::Split(all, paren.span.join().into()))
}

/// The value of `segments`.
pub(crate) enum Segments {
    /// The length of each segment.
    Length(LitInt),
    /// The type of the offsets between which segments lie.
    Offsets(Scalar),
}

/// Reads the length of segments, or the type of their offsets.
pub(super) fn segments(input: ParseStream) -> syn::Result<Segments> {
    const TYPES: [Scalar; 4] = [Scalar::U32, Scalar::U64, Scalar::I32, Scalar::I64];
    if input.peek(LitInt) {
        return Ok(Segments::Length(input.parse()?));
    }
    let word = input.fork().call(Ident::parse_any).ok();
    let ty = TYPES.into_iter().find(|ty| word.as_ref().is_some_and(|word| *word == ty.name()));
    let Some(ty) = ty else {
        let message = "`segments` is the type of offsets, u32, u64, i32 or i64, as in `segments: u32`, or the length of \
                       each segment, as in `segments: 16`";
        return Err(error(input, message));
    };
    input.call(Ident::parse_any)?;
    Ok(Segments::Offsets(ty))
}
