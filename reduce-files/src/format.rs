//! The formats of data files, by content and by name.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

/// A format of data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Apache Parquet: columns by name.
    Parquet,
}

impl Format {
    /// Returns the format of a file: by its first bytes, and otherwise by the end of its name. `None` if it is neither.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(path: &Path) -> io::Result<Option<Format>> {
        Format::read(path, &mut File::open(path)?)
    }

    /// As [`Format::of`], of an open file, which is then at its beginning.
    pub(crate) fn read(path: &Path, file: &mut File) -> io::Result<Option<Format>> {
        let mut first = Vec::new();
        file.take(4).read_to_end(&mut first)?;
        file.rewind()?;
        Ok(Format::by_content(&first).or_else(|| Format::by_name(path)))
    }

    fn by_content(first: &[u8]) -> Option<Format> {
        match first {
            b"PAR1" | b"PARE" => Some(Format::Parquet),
            _ => None,
        }
    }

    fn by_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "parquet" | "pq" => Some(Format::Parquet),
            _ => None,
        }
    }
}
