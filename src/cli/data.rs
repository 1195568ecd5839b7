//! Data: NumPy arrays read flat, and raw little-endian elements. Files are mapped into memory, pipes are read to their end.

use crate::cli::dtype::{Dtype, NotBool};
use crate::cli::npy::{self, Layout, NpyError};
use reduce_dsl::Scalar;
use reduce_dsl::lanes::LanesRef;
use reduce_runtime::Mapped;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};

const _: () = assert!(cfg!(target_endian = "little"), "data files are little-endian, and read as they are");

/// The name of the standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// An open data file.
#[derive(Debug)]
pub(crate) struct Data {
    /// Where it is, or `-`.
    pub(crate) path: PathBuf,
    dtype: &'static Dtype,
    storage: Storage,
}

#[derive(Debug)]
enum Storage {
    /// The file from byte `start`.
    Whole { file: Bytes, start: usize },
    /// The first `bytes` bytes of an aligned copy, for elements that are misaligned in the file, or that not every byte is.
    Copied { words: Vec<u64>, bytes: usize },
}

/// What a file holds.
#[derive(Debug)]
enum Bytes {
    Mapped(Mapped),
    /// Of a pipe.
    Read(Vec<u8>),
}

/// A file that is no data.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub(crate) struct DataError {
    path: PathBuf,
    /// Why.
    pub(crate) reason: Reason,
}

/// Why a file is no data.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Reason {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("this is a directory; name a file in it")]
    Directory,
    #[error("this is neither a regular file nor a pipe; save it to a file first")]
    NoFile,
    #[error("{0}")]
    Npy(#[from] NpyError),
    #[error("this is a NumPy file, and `--raw` would read its header as data; leave `--raw` out")]
    NotRaw,
    #[error("{bytes} bytes are not a whole number of {ty} elements; check the type that `--raw` names")]
    Raw { ty: Scalar, bytes: usize },
    #[error("{0}")]
    NotBool(#[from] NotBool),
}

impl Data {
    /// Opens a NumPy file, or one of bare elements of type `raw`.
    pub(crate) fn open(path: &Path, raw: Option<&'static Dtype>) -> Result<Data, DataError> {
        let reason = |reason| DataError { path: path.to_owned(), reason };
        let file = bytes(path).map_err(reason)?;
        let layout = match raw {
            Some(dtype) => raw_layout(dtype, &file),
            None => npy::layout(&file).map_err(Reason::Npy),
        };
        let Layout { dtype, start } = layout.map_err(reason)?;
        Ok(Data { path: path.to_owned(), dtype, storage: Storage::new(file, start, dtype) })
    }

    /// The type of the elements.
    pub(crate) fn ty(&self) -> Scalar {
        self.dtype.ty
    }

    /// The elements.
    pub(crate) fn lanes(&self) -> Result<LanesRef<'_>, DataError> {
        let lanes = (self.dtype.cast)(match &self.storage {
            Storage::Whole { file, start } => &file[*start..],
            Storage::Copied { words, bytes } => &bytemuck::cast_slice(words)[..*bytes],
        });
        lanes.map_err(|error| DataError { path: self.path.clone(), reason: error.into() })
    }
}

impl Storage {
    fn new(file: Bytes, start: usize, dtype: &Dtype) -> Storage {
        let elements = &file[start..];
        // A byte of a `bool` is looked at once, and must stay what it was then.
        if dtype.ty != Scalar::Bool && elements.as_ptr().addr().is_multiple_of(dtype.ty.size()) {
            return Storage::Whole { file, start };
        }
        let mut words = vec![0; elements.len().div_ceil(size_of::<u64>())];
        bytemuck::cast_slice_mut(&mut words)[..elements.len()].copy_from_slice(elements);
        Storage::Copied { words, bytes: elements.len() }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}

fn raw_layout(dtype: &'static Dtype, file: &[u8]) -> Result<Layout, Reason> {
    let bytes = file.len();
    if file.starts_with(npy::MAGIC) {
        return Err(Reason::NotRaw);
    }
    if !bytes.is_multiple_of(dtype.ty.size()) {
        return Err(Reason::Raw { ty: dtype.ty, bytes });
    }
    Ok(Layout { dtype, start: 0 })
}

fn bytes(path: &Path) -> Result<Bytes, Reason> {
    if path == Path::new(STANDARD_INPUT) {
        return read(io::stdin().lock());
    }
    match path.metadata()? {
        it if it.is_dir() => Err(Reason::Directory),
        it if it.is_file() => map(&File::open(path)?),
        it if is_pipe(&it) => read(File::open(path)?),
        _ => Err(Reason::NoFile),
    }
}

fn read(mut pipe: impl Read) -> Result<Bytes, Reason> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes)?;
    Ok(Bytes::Read(bytes))
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

#[allow(
    unsafe_code,
    reason = "whether a file changes is known to those who call the command, and to nobody else"
)]
fn map(file: &File) -> Result<Bytes, Reason> {
    // SAFETY: the command does not write to its data; its help says that others must not meanwhile.
    Ok(Bytes::Mapped(unsafe { Mapped::of(file) }?))
}

#[cfg(test)]
mod tests {
    use super::{Data, Dtype, LanesRef};
    use std::error::Error;
    use std::fs;
    use std::io::Write as _;

    #[test]
    fn a_bool_stays_one_whatever_becomes_of_the_file() -> Result<(), Box<dyn Error>> {
        let path = std::env::temp_dir().join(format!("reducegen-bools-{}", std::process::id()));
        fs::write(&path, [0, 1, 1])?;
        let data = Data::open(&path, Dtype::named("bool"))?;
        fs::OpenOptions::new().write(true).open(&path).and_then(|mut file| file.write_all(&[2, 2, 2]))?;
        assert!(matches!(data.lanes()?, LanesRef::Bool([false, true, true])));
        Ok(fs::remove_file(path)?)
    }
}
