//! The value of `passes`: words with arguments.

use super::syntax::{error, word};
use crate::parse::diagnostic::{Errors, Extent};
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, bracketed, parenthesized, token};

/// `[shuffle, coarsen(4)]`, or `auto`.
pub(crate) struct Schedule {
    pub(crate) place: Extent,
    pub(crate) passes: Option<Vec<Word>>,
}

/// `coarsen(4)`.
pub(crate) struct Word {
    pub(crate) name: Ident,
    pub(crate) argument: Option<Argument>,
    pub(crate) place: Extent,
}

/// The argument in the parentheses of a pass.
pub(crate) struct Argument {
    pub(crate) tokens: TokenStream,
    pub(crate) place: Extent,
}

pub(super) fn schedule(input: ParseStream, errors: &mut Errors) -> syn::Result<Schedule> {
    if input.peek(token::Bracket) {
        let content;
        let bracket = bracketed!(content in input);
        let passes = Some(words(&content, errors));
        return Ok(Schedule { place: bracket.span.join().into(), passes });
    }
    let expected = "`passes` is a list, as in `passes: [shuffle, coarsen(4)]`, or `auto`";
    let name = word(&input.fork(), expected)?;
    if name != "auto" {
        return Err(error(input, expected));
    }
    input.call(Ident::parse_any)?;
    Ok(Schedule { place: name.span().into(), passes: None })
}

fn words(input: ParseStream, errors: &mut Errors) -> Vec<Word> {
    let mut words = Vec::new();
    while !input.is_empty() {
        match pass(input) {
            Ok(word) => words.push(word),
            Err(error) => errors.add_syntax(error),
        }
        while !input.is_empty() && !input.peek(Token![,]) {
            if input.parse::<TokenTree>().is_err() {
                return words;
            }
        }
        if input.parse::<Option<Token![,]>>().is_err() {
            return words;
        }
    }
    words
}

/// Reads the words after the first hyphen of a hyphenated name, joined by `_` as in pass names.
fn after_hyphens(input: ParseStream) -> syn::Result<String> {
    let mut words = Vec::new();
    while input.parse::<Option<Token![-]>>()?.is_some() {
        words.push(input.call(Ident::parse_any)?.to_string());
    }
    Ok(words.join("_"))
}

fn pass(input: ParseStream) -> syn::Result<Word> {
    let name = word(input, "expected a pass, as in `shuffle`")?;
    let mut word = Word { place: name.span().into(), name, argument: None };
    if input.peek(token::Paren) {
        let content;
        let paren = parenthesized!(content in input);
        let tokens: TokenStream = content.parse()?;
        let closing = paren.span.close();
        let place = if tokens.is_empty() { paren.span.join().into() } else { Extent::of(&tokens) };
        word.place = Extent { start: word.name.span(), end: closing };
        word.argument = Some(Argument { tokens, place });
    }
    if input.is_empty() || input.peek(Token![,]) {
        Ok(word)
    } else if let (true, Ok(rest)) = (input.peek(Token![-]), input.fork().call(after_hyphens)) {
        Err(error(input, format!("passes have no `-` in their names; write `{}_{rest}`", word.name)))
    } else {
        Err(error(input, "expected `,` and the next pass"))
    }
}
