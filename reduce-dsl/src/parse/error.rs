//! Why a text is no specification, as rustc shows it.

use super::limits::BYTES;
use super::text::is_hidden;
use super::{Bytes, Diagnostic, Level};
use annotate_snippets as show;
use std::error::Error;
use std::{fmt, io};

/// Diagnostics, with the text that they are about. It prints as rustc shows errors: the lines, and what is wrong where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    source: String,
    origin: String,
    diagnostics: Vec<Diagnostic>,
    /// Why the text could not be read.
    no_thread: Option<String>,
}

impl SpecError {
    /// How a text is called that has no name.
    const ORIGIN: &str = "<spec>";

    /// Diagnostics of a text. Places that are not in it are shown where it ends.
    pub fn new(source: impl Into<String>, diagnostics: Vec<Diagnostic>) -> SpecError {
        let (source, origin) = (source.into(), SpecError::ORIGIN.to_owned());
        SpecError { source, origin, diagnostics, no_thread: None }
    }

    /// The system has no thread for a text whose parser needs one.
    pub(super) fn no_thread(why: &io::Error) -> SpecError {
        let no_thread = Some(why.to_string());
        SpecError { no_thread, ..SpecError::new("", Vec::new()) }
    }

    /// Is the text wrong? Else the machine could not read it, and there are no diagnostics.
    pub fn is_users_fault(&self) -> bool {
        self.no_thread.is_none()
    }

    /// The same of a text that is called `origin`, such as the name of a file.
    pub fn of(self, origin: impl Into<String>) -> SpecError {
        SpecError { origin: origin.into(), ..self }
    }

    /// Everything that is wrong, in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl Error for SpecError {}

/// Without colour, and without the characters that a terminal would obey.
impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.no_thread {
            return write!(
                f,
                "error: the system gives no thread to read a specification of that length ({why}); raise the limits of \
                 threads and memory (`ulimit -u`, `ulimit -v`)"
            );
        }
        let (source, origin) = (visible(&self.source), visible(&self.origin));
        let renderer = show::Renderer::plain();
        let render = |diagnostic| renderer.render(&[group(&source, &origin, diagnostic)]);
        let shown: Vec<_> = self.diagnostics.iter().map(render).collect();
        f.write_str(&shown.join("\n\n"))
    }
}

/// The text with blanks, as many bytes, for what is hidden.
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
    // A source that is refused for its length is not worth showing.
    let group = if source.len() > BYTES {
        title.element(show::Origin::path(origin))
    } else {
        let here = show::AnnotationKind::Primary.span(within(source, &diagnostic.span));
        title.element(show::Snippet::source(source).path(origin).annotation(here))
    };
    group.elements(diagnostic.help.as_deref().map(|help| show::Level::HELP.message(help)))
}

/// The characters of `source` that are in `span`, at least in part.
fn within(source: &str, span: &Bytes) -> Bytes {
    let start = source.floor_char_boundary(span.start);
    start..source.ceil_char_boundary(span.end).max(start)
}
