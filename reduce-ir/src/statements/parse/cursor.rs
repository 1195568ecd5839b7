//! Splits lines into words and signs, and reads them in order.

use super::words::{ORDERS, SCOPES, is_reserved};
use super::{DEEPEST, ParseError, Parsed};
use crate::program::Scope;
use crate::statements::{Local, MemoryOrder, Ty};
use crate::{Beside, Scalar};
use std::fmt::Display;

/// Returns the lines of a text that are not blank.
pub(crate) fn lines(text: &str) -> Parsed<Vec<Cursor<'_>>> {
    let lines = text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
    lines.map(|(index, text)| Cursor::new(index + 1, text)).collect()
}

/// A line that is read up to some word or sign.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    /// The nesting level: half of the indentation.
    pub(crate) depth: usize,
    /// The text after `--`.
    pub(crate) note: Option<&'a str>,
    number: usize,
    tokens: Vec<&'a str>,
    at: usize,
    /// The number of expressions being read, each inside the one before.
    nesting: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(number: usize, text: &'a str) -> Parsed<Cursor<'a>> {
        let content = text.trim();
        let indent = text.len() - text.trim_start().len();
        let note = content.strip_prefix("--");
        let mut line = Cursor { depth: indent / 2, note, number, tokens: Vec::new(), at: 0, nesting: 0 };
        if !indent.is_multiple_of(2) {
            return line.error("indent by two spaces per level");
        }
        if note.is_none() {
            line.tokens = line.split(content)?;
        }
        Ok(line)
    }

    fn split<'b>(&self, mut rest: &'b str) -> Parsed<Vec<&'b str>> {
        let mut tokens = Vec::new();
        while !rest.is_empty() {
            let Some(len) = token(rest) else {
                let sign: String = rest.chars().take(1).collect();
                return self.error(format!("unexpected character `{sign}`"));
            };
            let (token, after) = rest.split_at(len);
            tokens.push(token);
            rest = after.trim_start();
        }
        Ok(tokens)
    }

    /// Returns an error in this line.
    pub(crate) fn error<T>(&self, what: impl Into<String>) -> Parsed<T> {
        Err(ParseError { line: self.number, what: what.into() })
    }

    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).copied()
    }

    /// Skips a word or sign.
    pub(crate) fn skip(&mut self) {
        self.at += 1;
    }

    /// Skips that word or sign, if it is next, and returns whether it was.
    pub(crate) fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    /// Skips those words and signs, if all of them are next, and returns whether they were.
    pub(crate) fn accept_all(&mut self, tokens: &[&str]) -> bool {
        let found = self.tokens.get(self.at..).is_some_and(|left| left.starts_with(tokens));
        self.at += if found { tokens.len() } else { 0 };
        found
    }

    pub(crate) fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.accept(token) { Ok(()) } else { self.error(self.instead_of(&format!("`{token}`"))) }
    }

    /// Returns the value that was read, if the line ends here.
    pub(crate) fn end<T>(&self, read: T) -> Parsed<T> {
        if self.peek().is_none() { Ok(read) } else { self.error(self.instead_of("the end of the line")) }
    }

    /// Reads a word or number.
    pub(crate) fn word(&mut self) -> Parsed<&'a str> {
        match self.peek().filter(|token| token.starts_with(is_of_word)) {
            None => self.error(self.instead_of("a word")),
            Some(word) => {
                self.at += 1;
                Ok(word)
            }
        }
    }

    /// Reads a number, if one is next.
    pub(crate) fn optional<T: TryFrom<u64>>(&mut self) -> Parsed<Option<T>> {
        let is_next = self.peek().is_some_and(|token| token.starts_with(|c: char| c.is_ascii_digit()));
        is_next.then(|| self.number()).transpose()
    }

    /// Reads `beside many`, `beside few`, `beside 4`, or nothing.
    pub(crate) fn beside(&mut self) -> Parsed<Beside> {
        if !self.accept("beside") {
            return Ok(Beside::No);
        }
        let word = self.word()?;
        let known = Beside::ALL.into_iter().find(|beside| beside.to_string() == format!(" beside {word}"));
        known.map_or_else(|| self.error(format!("`{word}` is no number of groups beside each other")), Ok)
    }

    /// Reads a word that can be a name.
    pub(crate) fn name(&mut self) -> Parsed<&'a str> {
        let word = self.word()?;
        if word.starts_with(|c: char| c.is_ascii_digit()) || is_reserved(word) {
            return self.error(format!("`{word}` cannot be a name"));
        }
        Ok(word)
    }

    /// Reads a number, in decimal or, after `0x`, in hexadecimal.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self) -> Parsed<T> {
        let word = self.word()?;
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        let fitting = number.ok().and_then(|it| T::try_from(it).ok());
        fitting.map_or_else(|| self.error(format!("`{word}` is not a number in range")), Ok)
    }

    /// Reads one of those words.
    pub(crate) fn one_of<T: Copy + Display>(&mut self, all: &[T]) -> Parsed<T> {
        let word = self.word()?;
        let names: Vec<_> = all.iter().map(ToString::to_string).collect();
        let found = names.iter().position(|name| name == word).map(|at| all[at]);
        found.map_or_else(
            || self.error(format!("`{word}` is unknown; expected one of {}", names.join(", "))),
            Ok,
        )
    }

    /// Reads one of those phrases, the longest that fits.
    pub(crate) fn phrase_of<T: Copy + Display>(&mut self, all: &[T]) -> Parsed<T> {
        let left = self.tokens.get(self.at..).unwrap_or_default();
        let length = |phrase: &T| {
            let text = phrase.to_string();
            let tokens = self.split(&text).ok().filter(|tokens| left.starts_with(tokens));
            tokens.map(|tokens| tokens.len())
        };
        let found = all.iter().filter_map(|phrase| Some((length(phrase)?, *phrase))).max_by_key(|it| it.0);
        let Some((length, phrase)) = found else {
            let names: Vec<_> = all.iter().map(|it| format!("`{it}`")).collect();
            return self.error(self.instead_of(&names.join(" or ")));
        };
        self.at += length;
        Ok(phrase)
    }

    pub(crate) fn order(&mut self) -> Parsed<MemoryOrder> {
        self.one_of(&ORDERS)
    }

    pub(crate) fn scope(&mut self) -> Parsed<Scope> {
        self.one_of(&SCOPES)
    }

    /// Reads `name: type`.
    pub(crate) fn local(&mut self) -> Parsed<Local> {
        let name = self.name()?;
        self.expect(":")?;
        let word = self.word()?;
        let ty = ty(word);
        ty.map_or_else(|| self.error(format!("unknown type `{word}`")), |ty| Ok(Local::new(name, ty)))
    }

    /// Reads the inside of an expression, unless the nesting is too deep.
    pub(crate) fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == DEEPEST {
            return self.error(format!("expressions nest at most {DEEPEST} deep"));
        }
        self.nesting += 1;
        let read = read(self);
        self.nesting -= 1;
        read
    }

    fn instead_of(&self, wanted: &str) -> String {
        let found = self.peek().map_or("the end of the line".to_owned(), |token| format!("`{token}`"));
        format!("expected {wanted}, not {found}")
    }
}

/// Returns the length of the word or sign at the start.
fn token(text: &str) -> Option<usize> {
    let word = text.find(|c| !is_of_word(c)).unwrap_or(text.len());
    let double = ["==", "!=", "<=", ">=", "<<", ">>"].iter().any(|sign| text.starts_with(sign));
    let single = text.starts_with(|c| "()[],:;.=<>+-*/%&|^".contains(c));
    [word, if double { 2 } else { usize::from(single) }].into_iter().find(|&len| len > 0)
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Reads `acc`, `output`, `u32`, or `f32x4`.
fn ty(word: &str) -> Option<Ty> {
    let vector = || {
        let (ty, lanes) = word.split_once('x')?;
        Some(Ty::Vector(Scalar::from_name(ty)?, lanes.parse().ok()?))
    };
    match word {
        "acc" => Some(Ty::Acc),
        "output" => Some(Ty::Output),
        _ => Scalar::from_name(word).map(Ty::Scalar).or_else(vector),
    }
}
