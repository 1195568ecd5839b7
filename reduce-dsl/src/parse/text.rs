//! Reads text into tokens and a specification, with byte ranges.

use super::constants::Constants;
use super::diagnostic::{Diagnostic, Extent};
use super::error::{SpecError, is_hidden};
use super::limits::{self, BRACKETS, BYTES};
use super::parsed::{Parsed, Places};
use super::role::Dialect;
use super::stack::{self, Failure};
use super::tokens::read;
use proc_macro2::{LexError, TokenStream};
use reduce_ir::{Scalar, Spec};
use std::ops::Range;
use std::rc::Rc;

/// A place in a text.
pub type Bytes = Range<usize>;

/// The byte order mark.
const MARK: char = '\u{feff}';

/// Reads the text of a specification: the fields alone, or the macro call in any brackets, including angle
/// brackets. A byte order mark at the start, which some editors write, is skipped. `from_data` gives the types
/// of the inputs if neither `ty` nor `inputs` is written.
///
/// # Errors
/// All errors of the text, each with its place and, if there is one, the alternative to write; or no thread is
/// available to read the text ([`SpecError::is_usage_error`]).
pub fn text(source: &str, from_data: Option<&[Scalar]>) -> Result<Parsed<Bytes>, SpecError> {
    scan(source).map_err(|error| SpecError::new(source, vec![error]))?;
    let parsed = match stack::with_room_for(source, || lex_and_parse(source, from_data)) {
        Ok(parsed) => parsed,
        Err(bug @ Failure::Panicked) => Err(vec![Diagnostic::error(0..0, bug.to_string())]),
        Err(Failure::NoThread(error)) => return Err(SpecError::no_thread(&error)),
    };
    parsed.map_err(|diagnostics| SpecError::new(source, diagnostics))
}

/// Reads the specification of a text that declares the types of its inputs. Drops the notes that [`text`]
/// returns.
///
/// # Errors
/// As for [`text`].
pub fn spec(source: &str) -> Result<Spec, SpecError> {
    text(source, None).map(|parsed| parsed.spec)
}

/// Refuses texts before lexing that are too long, nested too deeply, or contain hidden characters.
fn scan(source: &str) -> Result<(), Diagnostic> {
    if source.len() > BYTES {
        let message = format!("a specification has at most {BYTES} bytes, not {}", source.len());
        return Err(Diagnostic::error(0..0, message));
    }
    let mut depth = 0usize;
    for (at, c) in source.char_indices() {
        let here = at..at + c.len_utf8();
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if is_hidden(c) => {
                let message = format!("the character U+{:04X} is not allowed in a specification", c as u32);
                return Err(Diagnostic::error(here, message));
            }
            _ => {}
        }
        if depth > BRACKETS {
            return Err(Diagnostic::error(here, limits::too_deep()));
        }
    }
    Ok(())
}

fn lex_and_parse(source: &str, from_data: Option<&[Scalar]>) -> Result<Parsed<Bytes>, Vec<Diagnostic>> {
    let lexed = lexable(source).parse::<TokenStream>();
    let lexed = lexed.map_err(|error| vec![unreadable(source, &error)])?;
    let place = |extent| bytes(extent, source);
    match read(lexed, Dialect::Text, &Rc::new(Constants::Open), from_data) {
        Ok(read) => Ok(read.parsed.map_places(place)),
        Err(errors) => {
            let mut errors: Vec<_> = errors.into_iter().map(|error| error.map_span(place)).collect();
            errors.sort_by_key(|error| error.span.start);
            Err(errors)
        }
    }
}

/// Returns the text for the lexer, with the same number of bytes. A byte order mark at the start becomes
/// blanks. Other marks, and spaces that Rust does not accept (Rust reference, whitespace), become NUL. The
/// lexer fails at NUL outside comments, as rustc does at those characters.
fn lexable(source: &str) -> String {
    let (mark, rest) = source.split_at(if source.starts_with(MARK) { MARK.len_utf8() } else { 0 });
    let lexed = |c: char| match c {
        '\t' | '\n' | '\r' | ' ' => c.to_string(),
        _ if c == MARK || c.is_whitespace() => "\0".repeat(c.len_utf8()),
        _ => c.to_string(),
    };
    " ".repeat(mark.len()) + &rest.chars().map(lexed).collect::<String>()
}

/// Returns the error at the character where the lexer failed.
fn unreadable(source: &str, error: &LexError) -> Diagnostic {
    let start = error.span().byte_range().start;
    let found = source.get(start..).and_then(|rest| rest.chars().next());
    let message = match found {
        Some(c @ ('(' | '[' | '{')) => format!("this `{c}` is never closed"),
        Some(c @ (')' | ']' | '}')) => format!("this `{c}` is never opened"),
        Some('"' | '\'') => "this quotation mark is never closed".to_owned(),
        Some('/') => "this comment is never closed".to_owned(),
        Some(c) if c.is_alphanumeric() || c.is_ascii_graphic() => format!("unexpected character `{c}`"),
        Some(c) if c.is_whitespace() => {
            format!("U+{:04X} is not a space in Rust; write a plain one", c as u32)
        }
        Some(MARK) => "a byte order mark is allowed at the start only; delete this one".to_owned(),
        Some(c) => format!("unexpected character U+{:04X}", c as u32),
        None => "the specification ends too early".to_owned(),
    };
    Diagnostic::error(start..start + found.map_or(0, char::len_utf8), message)
}

/// Returns the byte range of a place. The whole specification has its place after the last character, where a
/// field is missing.
fn bytes(extent: Extent, source: &str) -> Bytes {
    let (start, end) = (extent.start.byte_range(), extent.end.byte_range());
    if end.end == 0 {
        let end = source.trim_end().len();
        return end..end;
    }
    start.start..end.end
}

impl Parsed<Extent> {
    fn map_places<T>(self, f: impl Fn(Extent) -> T) -> Parsed<T> {
        let Parsed { spec, places, subject, notes } = self;
        let Places { op, block, passes, pass } = places;
        let pass = pass.into_iter().map(&f).collect();
        let places = Places { op: f(op), block: f(block), passes: f(passes), pass };
        let notes = notes.into_iter().map(|note| note.map_span(&f)).collect();
        Parsed { spec, places, subject, notes }
    }
}
