//! The readers of formats with several columns.
//!
//! Every error names the file, the place and the fix. A damaged file is an error, never a panic. No length in a file is believed before it
//! is compared with the file or with the limit of memory.

mod column;
mod csv;
mod elements;
mod error;
mod format;
mod labels;
mod npz;
mod parquet;
mod safetensors;

pub use column::Column;
pub use error::{FileError, Reason};
pub use format::Format;
pub use labels::Labels;

use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

/// The bytes of memory that a column may take, if the caller does not say.
const LIMIT: u64 = 4 << 30;

/// An open data file.
#[derive(Debug)]
pub struct DataFile {
    path: PathBuf,
    contents: Contents,
    limit: u64,
}

/// The reader of a format.
#[derive(Debug)]
enum Contents {
    Parquet(parquet::Parquet),
    Safetensors(safetensors::Safetensors),
    Npz(npz::Npz),
    Csv(csv::Csv),
}

impl DataFile {
    /// Opens a file, and reads the names of its columns. The format is that of [`Format::of`].
    ///
    /// # Errors
    /// The file cannot be read, has none of the formats, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<DataFile, FileError> {
        let path = path.as_ref();
        let contents = guarded("the description of its contents", || Contents::open(path));
        let contents = contents.map_err(|reason| FileError::new(path, reason))?;
        Ok(DataFile { path: path.to_owned(), contents, limit: LIMIT })
    }

    /// Sets the bytes of memory that a column may take: 4 GiB by default.
    pub fn with_limit(self, bytes: u64) -> DataFile {
        DataFile { limit: bytes, ..self }
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        match &self.contents {
            Contents::Parquet(_) => Format::Parquet,
            Contents::Safetensors(_) => Format::Safetensors,
            Contents::Npz(_) => Format::Npz,
            Contents::Csv(_) => Format::Csv,
        }
    }

    /// Returns the names of the columns, in the order of the file.
    pub fn names(&self) -> Vec<String> {
        match &self.contents {
            Contents::Parquet(file) => file.names(),
            Contents::Safetensors(file) => file.names(),
            Contents::Npz(file) => file.names(),
            Contents::Csv(file) => file.names(),
        }
    }

    /// Reads a column of numbers.
    ///
    /// # Errors
    /// The file has no such column, the column has a type that reducegen lacks or is larger than the limit, or the file is damaged.
    pub fn column(&mut self, name: &str) -> Result<Column, FileError> {
        let (contents, limit) = (&mut self.contents, self.limit);
        let column = guarded(&format!("the column `{name}`"), || contents.column(name, limit));
        column.map_err(|reason| FileError::new(&self.path, reason))
    }

    /// Reads a column of text: strings of Parquet, with and without a dictionary, and any column of CSV.
    ///
    /// # Errors
    /// As [`DataFile::column`]; the column holds no text.
    pub fn labels(&mut self, name: &str) -> Result<Labels, FileError> {
        let (contents, limit) = (&mut self.contents, self.limit);
        let labels = guarded(&format!("the column `{name}`"), || contents.labels(name, limit));
        labels.map_err(|reason| FileError::new(&self.path, reason))
    }
}

impl Contents {
    fn open(path: &Path) -> Result<Contents, Reason> {
        if path.is_dir() {
            return Err(Reason::Directory);
        }
        let mut file = File::open(path)?;
        match Format::read(path, &mut file)?.ok_or(Reason::Format)? {
            Format::Parquet => parquet::Parquet::open(file).map(Contents::Parquet),
            Format::Safetensors => safetensors::Safetensors::open(file).map(Contents::Safetensors),
            Format::Npz => npz::Npz::open(file).map(Contents::Npz),
            Format::Csv => csv::Csv::open(file).map(Contents::Csv),
        }
    }

    fn column(&mut self, name: &str, limit: u64) -> Result<Column, Reason> {
        match self {
            Contents::Parquet(file) => file.column(name, limit),
            Contents::Safetensors(file) => file.column(name, limit),
            Contents::Npz(file) => file.column(name, limit),
            Contents::Csv(file) => file.column(name, limit),
        }
    }

    fn labels(&mut self, name: &str, limit: u64) -> Result<Labels, Reason> {
        match self {
            Contents::Parquet(file) => file.labels(name, limit),
            Contents::Csv(file) => file.labels(name, limit),
            Contents::Safetensors(_) | Contents::Npz(_) => {
                let (column, ty) = (name.to_owned(), "numbers, not text".to_owned());
                Err(Reason::Type { column, ty, advice: "read it by `column`" })
            }
        }
    }
}

/// Turns a panic of a reader into the error of a damaged file: the readers are other crates.
fn guarded<T>(place: &str, read: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Reason::damaged(place, text.unwrap_or_default()))
    })
}
