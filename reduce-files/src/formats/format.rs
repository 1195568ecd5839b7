//! The formats of data files, by content and by name.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

/// A format of data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Apache Parquet: columns.
    Parquet,
    /// safetensors: tensors.
    Safetensors,
    /// A NumPy archive, as `np.savez` writes it: arrays.
    Npz,
    /// Comma-separated values with a header: columns. Semicolons and tabs separate, too.
    Csv,
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
        file.take(9).read_to_end(&mut first)?;
        file.rewind()?;
        Ok(Format::by_content(&first).or_else(|| Format::by_name(path)))
    }

    fn by_content(first: &[u8]) -> Option<Format> {
        match first {
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Format::Parquet),
            // The second one is that of an archive of nothing.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Format::Npz),
            // The length of a header, which has less than 4 GiB, and its brace.
            [_, _, _, _, 0, 0, 0, 0, b'{'] => Some(Format::Safetensors),
            _ => None,
        }
    }

    fn by_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "parquet" | "pq" => Some(Format::Parquet),
            "safetensors" => Some(Format::Safetensors),
            "npz" => Some(Format::Npz),
            "csv" | "tsv" => Some(Format::Csv),
            _ => None,
        }
    }
}
