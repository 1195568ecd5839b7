//! Diagnostics of the parser: a message at a place, with help. Also the list that collects them.

use super::keywords;
use crate::laws::Broken;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// A place in a token stream: from the start of one token to the end of another.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The first token.
    pub start: Span,
    /// The last token.
    pub end: Span,
}

impl Extent {
    /// The place of the whole specification.
    pub fn whole() -> Extent {
        Extent { start: Span::call_site(), end: Span::call_site() }
    }

    /// Returns the place of `tokens`; the whole specification if there are no tokens.
    pub fn of(tokens: &impl ToTokens) -> Extent {
        let mut trees = tokens.to_token_stream().into_iter();
        let Some(first) = trees.next() else { return Extent::whole() };
        let start = first.span();
        Extent { start, end: trees.last().map_or(start, |last| last.span()) }
    }
}

impl From<Span> for Extent {
    fn from(span: Span) -> Extent {
        Extent { start: span, end: span }
    }
}

/// The severity of a [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// There is no specification.
    Error,
    /// There is a specification, and the user should know something about it.
    Note,
}

/// A message to the user at a place: an [`Extent`] of tokens, or a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<S = std::ops::Range<usize>> {
    /// The severity.
    pub level: Level,
    /// The problem, in one sentence.
    pub message: String,
    /// The place.
    pub span: S,
    /// The alternative to write, if the message does not contain it.
    pub help: Option<String>,
    /// The law that does not hold, if that is the error.
    pub broken: Option<Box<Broken>>,
}

impl<S> Diagnostic<S> {
    /// Returns an error at a place.
    pub fn error(span: S, message: impl Into<String>) -> Diagnostic<S> {
        Diagnostic { level: Level::Error, message: message.into(), span, help: None, broken: None }
    }

    /// Converts the place.
    pub fn map_span<T>(self, f: impl FnOnce(S) -> T) -> Diagnostic<T> {
        let Diagnostic { level, message, span, help, broken } = self;
        Diagnostic { level, message, span: f(span), help, broken }
    }
}

/// The errors found so far, and the notes.
#[derive(Default)]
pub(super) struct Errors {
    errors: Vec<Diagnostic<Extent>>,
    pub(super) notes: Vec<Diagnostic<Extent>>,
}

impl Errors {
    /// The limit on errors that are shown at once.
    const SHOWN: usize = 20;

    /// Adds an error. Help can be added to the result.
    pub(super) fn add(&mut self, at: impl Into<Extent>, message: impl Into<String>) -> Added<'_> {
        let error = Diagnostic::error(at.into(), message);
        // The body of a function is lowered at each of its calls.
        if let Some(known) = self.errors.iter().position(|known| is_same(known, &error)) {
            return Added(self.errors.get_mut(known));
        }
        self.errors.push(error);
        Added(self.errors.last_mut())
    }

    /// Adds the first error that syn reports.
    pub(super) fn add_syntax(&mut self, error: syn::Error) {
        if let Some(error) = error.into_iter().next() {
            let (at, said) = (error.span(), error.to_string());
            // A word of Rust may stand where syn expected a name.
            let word =
                at.source_text().filter(|word| said.contains("identifier") && keywords::is_keyword(word));
            self.add(at, word.map_or(said, |word| keywords::keyword(&word)));
        }
    }

    /// Returns the error that was added last.
    pub(super) fn last(&mut self) -> Option<&mut Diagnostic<Extent>> {
        self.errors.last_mut()
    }

    pub(super) fn note(&mut self, at: Extent, message: impl Into<String>) {
        self.notes.push(Diagnostic { level: Level::Note, ..Diagnostic::error(at, message) });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the number of errors.
    pub(super) fn count(&self) -> usize {
        self.errors.len()
    }

    /// Returns the errors to show if there is no specification: at least one.
    pub(super) fn finish(&mut self) -> Vec<Diagnostic<Extent>> {
        if self.is_empty() {
            self.add(Span::call_site(), "bug: the specification is refused without a reason");
        }
        self.errors.truncate(Errors::SHOWN);
        std::mem::take(&mut self.errors)
    }
}

/// Returns whether two errors have one message and one place.
fn is_same(one: &Diagnostic<Extent>, other: &Diagnostic<Extent>) -> bool {
    let place = |error: &Diagnostic<Extent>| format!("{:?} {:?}", error.span.start, error.span.end);
    one.message == other.message && place(one) == place(other)
}

/// The error that was just added.
pub(super) struct Added<'a>(Option<&'a mut Diagnostic<Extent>>);

impl Added<'_> {
    /// Attaches the law that does not hold.
    pub(super) fn broken(mut self, broken: Box<Broken>) -> Self {
        if let Some(error) = &mut self.0 {
            error.broken = Some(broken);
        }
        self
    }

    pub(super) fn help(self, help: impl Into<String>) {
        if let Some(error) = self.0 {
            error.help = Some(help.into());
        }
    }
}

/// Returns the place from the start of one token sequence to the end of another.
pub(super) fn between(first: &impl ToTokens, last: &impl ToTokens) -> Extent {
    let mut both = TokenStream::new();
    first.to_tokens(&mut both);
    last.to_tokens(&mut both);
    Extent::of(&both)
}

/// Quotes tokens for a message: in backticks, and truncated.
pub(super) fn spelled(tokens: &impl ToTokens) -> String {
    const LENGTH: usize = 24;
    let mut text = tokens.to_token_stream().to_string();
    for (spaced, close) in
        [(" . ", "."), (" (", "("), ("( ", "("), (" )", ")"), (" ,", ","), (" :: ", "::"), ("- ", "-")]
    {
        text = text.replace(spaced, close);
    }
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("`{}…`", text[..end].trim_end()),
        None => format!("`{text}`"),
    }
}
