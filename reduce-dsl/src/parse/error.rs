//! The error of a text that is not a specification, printed in the style of rustc.

use super::diagnostic::{Diagnostic, Level};
use super::limits::BYTES;
use annotate_snippets as show;
use std::error::Error;
use std::ops::Range;
use std::{fmt, io};

/// Diagnostics with the text that they refer to. Prints as rustc does: the source lines with the messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    source: String,
    origin: String,
    diagnostics: Vec<Diagnostic>,
    /// The reason why no thread could be started to read the text.
    no_thread: Option<String>,
}

impl SpecError {
    /// The name of a text without a file name.
    const ORIGIN: &str = "<spec>";

    /// Returns the error of a text. Places outside the text are shown at its end.
    pub fn new(source: impl Into<String>, diagnostics: Vec<Diagnostic>) -> SpecError {
        let (source, origin) = (source.into(), SpecError::ORIGIN.to_owned());
        SpecError { source, origin, diagnostics, no_thread: None }
    }

    /// Returns the error for a system that offers no thread to the parser.
    pub(super) fn no_thread(why: &io::Error) -> SpecError {
        let no_thread = Some(why.to_string());
        SpecError { no_thread, ..SpecError::new("", Vec::new()) }
    }

    /// Returns whether the text is wrong. If not, the machine could not read it, and there are no diagnostics.
    pub fn is_usage_error(&self) -> bool {
        self.no_thread.is_none()
    }

    /// Sets the name of the text, such as a file name.
    pub fn of(self, origin: impl Into<String>) -> SpecError {
        SpecError { origin: origin.into(), ..self }
    }

    /// Returns the text with the colours of rustc, for a terminal.
    pub fn coloured(&self) -> String {
        self.rendered(&show::Renderer::styled())
    }

    fn rendered(&self, renderer: &show::Renderer) -> String {
        if let Some(why) = &self.no_thread {
            return format!(
                "error: the system cannot start a thread to parse a specification of that length ({why}); raise the limits of \
                 threads and memory (`ulimit -u`, `ulimit -v`)"
            );
        }
        let (source, origin) = (visible(&self.source), visible(&self.origin));
        let render = |diagnostic| renderer.render(&[group(&source, &origin, diagnostic)]);
        let shown: Vec<_> = self.diagnostics.iter().map(render).collect();
        shown.join("\n\n")
    }

    /// Returns all errors, in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl Error for SpecError {}

/// Prints without colour, and without characters that control a terminal.
impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered(&show::Renderer::plain()))
    }
}

/// Returns whether a character is invisible, a control character, or one that changes the order in which a line
/// is shown.
pub(super) fn is_hidden(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    control || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

/// Replaces each hidden character by as many blanks as it has bytes, so that byte ranges stay valid.
fn visible(text: &str) -> String {
    let blank = |c: char| if is_hidden(c) { " ".repeat(c.len_utf8()) } else { c.to_string() };
    text.chars().map(blank).collect()
}

fn group<'a>(source: &'a str, origin: &'a str, diagnostic: &'a Diagnostic) -> show::Group<'a> {
    let level = match diagnostic.level {
        Level::Error => show::Level::ERROR,
        Level::Note => show::Level::NOTE,
    };
    let title = level.primary_title(&*diagnostic.message);
    // A source that is refused for its length is not shown.
    let group = if source.len() > BYTES {
        title.element(show::Origin::path(origin))
    } else {
        let here = show::AnnotationKind::Primary.span(within(source, &diagnostic.span));
        title.element(show::Snippet::source(source).path(origin).annotation(here))
    };
    group.elements(diagnostic.help.as_deref().map(|help| show::Level::HELP.message(help)))
}

/// Returns the bytes of the characters that `span` covers at least in part.
fn within(source: &str, span: &Range<usize>) -> Range<usize> {
    let is_boundary = |at: &usize| source.is_char_boundary(*at);
    let start = (0..=span.start.min(source.len())).rev().find(is_boundary).unwrap_or(0);
    start..(span.end..source.len()).find(is_boundary).unwrap_or(source.len()).max(start)
}
