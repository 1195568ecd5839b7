//! Where text and bytes go: to the standard output or to a file, and a word beside it to the standard error.

use crate::cli::failure::Failure;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Writes all of `bytes` to the file, or to the standard output.
pub(crate) fn write(file: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    let written = match file {
        Some(path) => std::fs::write(path, bytes),
        None => print(bytes),
    };
    let target = || file.map_or("the standard output".to_owned(), |path| path.display().to_string());
    written.map_err(|error| Failure::Write { target: target(), error })
}

/// Would binary output end on a screen?
pub(crate) fn is_screen(file: Option<&Path>) -> bool {
    file.is_none() && io::stdout().is_terminal()
}

/// A line on the standard error. That nobody reads it is no reason to fail.
pub(crate) fn note(line: impl Display) {
    drop(writeln!(io::stderr(), "{line}"));
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}
