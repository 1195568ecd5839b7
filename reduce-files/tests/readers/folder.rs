//! A folder for the files of a test, and readers of them.

use reduce_files::{Column, DataFile, FileError};
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder that is removed at the end.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// Writes a file, and returns its path.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Reads a column of a file with that name and contents.
    pub(crate) fn column(&self, name: &str, bytes: &[u8], column: &str) -> Result<Column, FileError> {
        DataFile::open(self.file(name, bytes))?.column(column)
    }

    /// Returns the message of the error for a column, without the path.
    pub(crate) fn error(&self, name: &str, bytes: &[u8], column: &str) -> String {
        self.column(name, bytes, column).unwrap_err().reason.to_string()
    }
}
