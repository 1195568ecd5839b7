//! The specification of the user: reads and parses it, and shows its errors in their places.

use crate::failure::Failure;
use crate::output;
use reduce_codegen::Error::{Refused, SharedMemory};
use reduce_dsl::operators;
use reduce_dsl::parse::{self, Bytes, Diagnostic, Parsed, SpecError};
use reduce_ir::Scalar;
use reduce_runtime::Error;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a file in bytes. It exceeds the limit of the parser, whose error names that limit.
const LIMIT: u64 = 1 << 20;

/// The text of a specification.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path of the file, or `<spec>`.
    name: String,
    text: String,
}

impl Source {
    /// Reads the argument itself, or the file that it names as `@file.reduce`.
    pub(crate) fn read(argument: &str) -> Result<Source, Failure> {
        let Some(path) = argument.strip_prefix('@') else {
            // The name of an operator alone. A file of that name may lack its `@`.
            let is_operator = operators::operator(argument).is_some();
            let text = if is_operator { format!("op: {argument}") } else { argument.to_owned() };
            return Ok(Source { name: "<spec>".to_owned(), text });
        };
        if path.is_empty() {
            return Err(Failure::request("`@` stands before the name of a file, as in `@max.reduce`"));
        }
        match read_file(path) {
            Ok(text) => Ok(Source { name: path.to_owned(), text }),
            Err(error) => Err(Failure::request(format!("the specification {path} cannot be read: {error}"))),
        }
    }

    /// Makes the source of a text that the command wrote.
    pub(crate) fn of_text(text: String) -> Source {
        Source { name: "<spec>".to_owned(), text }
    }

    /// Parses and checks the specification. `data` has the element types of the files, if there are any.
    pub(crate) fn parse(&self, data: Option<&[Scalar]>) -> Result<Parsed<Bytes>, Failure> {
        let parsed =
            self.read_fields(data).map_err(|error| self.missing_at_sign().unwrap_or(error.into()))?;
        if !parsed.notes.is_empty() {
            output::note(self.about(parsed.notes.clone()).to_string());
        }
        Ok(parsed)
    }

    /// Parses the specification, or returns all its errors.
    pub(crate) fn read_fields(&self, data: Option<&[Scalar]>) -> Result<Parsed<Bytes>, SpecError> {
        parse::text(&self.text, data).map_err(|error| error.of(&self.name))
    }

    /// Returns the error for a text that is the name of a file without `@`.
    fn missing_at_sign(&self) -> Option<Failure> {
        let path = Path::new(&self.text);
        let message = || format!("`{0}` is a file, not a specification; write `@{0}`", self.text);
        path.is_file().then(|| Failure::request(message()))
    }

    /// Returns errors or notes in their places, as the user reads them.
    pub(crate) fn about(&self, diagnostics: Vec<Diagnostic>) -> SpecError {
        SpecError::new(&self.text, diagnostics).of(&self.name)
    }

    /// Returns an error of the compiler or the runtime, at the pass or block that it is about.
    pub(crate) fn explain(&self, parsed: &Parsed<Bytes>, error: Error) -> Failure {
        let place = if let Error::Codegen(Refused { index, .. }) = &error {
            parsed.places.pass(*index)
        } else if let Error::Codegen(SharedMemory { .. }) = &error {
            parsed.places.block.clone()
        } else {
            return Failure::Runtime(error);
        };
        self.about(vec![Diagnostic::error(place, error.to_string())]).into()
    }
}

fn read_file(path: &str) -> io::Result<String> {
    let mut bytes = Vec::new();
    let read = File::open(path)?.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if read as u64 > LIMIT {
        return Err(io::Error::other("it has more than 1 MiB, the limit for a specification"));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}
