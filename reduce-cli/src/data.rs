//! Data files: NumPy arrays, and raw little-endian elements. Files are mapped into memory. Pipes are read to their end, unless their
//! elements are reduced while they arrive.

mod pipe;
mod reason;
mod storage;

pub(crate) use pipe::Pipe;
pub(crate) use reason::{DataError, Reason, changed};

use crate::dtype::Dtype;
use crate::npy::{self, Layout, Shape};
use reduce_ir::Scalar;
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::Mapped;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use storage::{Bytes, Storage};

const _: () = assert!(cfg!(target_endian = "little"), "data files are little-endian, and read as they are");

/// The file name for the standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// The way in which data files are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// The type of raw elements; `None` for NumPy files.
    pub(crate) raw: Option<&'static Dtype>,
    /// The maximum number of bytes of a file to keep in memory.
    pub(crate) limit: u64,
}

/// An open data file.
#[derive(Debug)]
pub(crate) struct Data {
    /// The path, or `-`.
    pub(crate) path: PathBuf,
    dtype: &'static Dtype,
    storage: Storage,
    /// The shape of an array; `None` for raw elements.
    shape: Option<Shape>,
    /// The state of a mapped file when it was opened.
    opened: Option<Opened>,
    /// The rest of a pipe that has more bytes than are read at once.
    pipe: Option<Pipe>,
    /// Which elements are present; `None` if all are.
    present: Option<Vec<bool>>,
}

#[derive(Debug)]
struct Opened {
    file: File,
    len: u64,
    written: Option<SystemTime>,
}

impl Data {
    /// Opens a NumPy file, or a file of raw elements, and reads pipes to their end.
    pub(crate) fn open(path: &Path, reading: Reading) -> Result<Data, DataError> {
        Data::begin(path, reading)?.loaded(reading)
    }

    /// As [`Data::open`], without the rest of a long pipe.
    pub(crate) fn begin(path: &Path, reading: Reading) -> Result<Data, DataError> {
        Data::of(path, reading).map_err(|reason| DataError { path: path.to_owned(), reason })
    }

    /// Reads the rest of a pipe.
    pub(crate) fn loaded(mut self, reading: Reading) -> Result<Data, DataError> {
        let Some(pipe) = self.pipe.take() else { return Ok(self) };
        let loaded = pipe.load(reading.limit).and_then(|bytes| Data::in_memory(&self.path, bytes, reading));
        loaded.map_err(|reason| DataError { path: self.path, reason })
    }

    /// Returns the pipe, if it is not read to its end.
    pub(crate) fn take_pipe(&mut self) -> Option<Pipe> {
        self.pipe.take()
    }

    fn of(path: &Path, reading: Reading) -> Result<Data, Reason> {
        let (file, opened) = match bytes(path, reading.limit)? {
            Source::Whole(file, opened) => (file, opened),
            Source::Pipe(pipe) => return Data::unread(path, pipe, reading),
        };
        Ok(Data { opened, ..Data::in_memory(path, file, reading)? })
    }

    fn in_memory(path: &Path, file: Bytes, Reading { raw, limit }: Reading) -> Result<Data, Reason> {
        let Layout { dtype, start, shape } = match raw {
            Some(dtype) => raw_layout(dtype, &file)?,
            None => npy::layout(&file)?,
        };
        let storage = Storage::new(file, start, dtype, limit)?;
        Ok(Data { path: path.to_owned(), dtype, storage, shape, opened: None, pipe: None, present: None })
    }

    fn unread(path: &Path, pipe: Pipe, Reading { raw, .. }: Reading) -> Result<Data, Reason> {
        let (Layout { dtype, shape, .. }, pipe) = pipe.with_layout(raw)?;
        let storage = Storage::Whole { file: Bytes::Read(Vec::new()), start: 0 };
        Ok(Data {
            path: path.to_owned(),
            dtype,
            storage,
            shape,
            opened: None,
            pipe: Some(pipe),
            present: None,
        })
    }

    /// Makes data of elements in memory.
    pub(crate) fn of_lanes(path: PathBuf, lanes: Lanes, shape: Shape, present: Option<Vec<bool>>) -> Data {
        let dtype = Dtype::of_element(lanes.ty());
        let storage = Storage::Lanes(lanes);
        Data { path, dtype, storage, shape: Some(shape), opened: None, pipe: None, present }
    }

    /// Returns which elements are present; `None` if all are.
    pub(crate) fn present(&self) -> Option<&[bool]> {
        self.present.as_deref()
    }

    /// Returns an error of this file.
    pub(crate) fn error(&self, reason: Reason) -> DataError {
        DataError { path: self.path.clone(), reason }
    }

    /// Returns the bytes of a mapped file and the place of its first element, if the elements are read where they lie.
    pub(crate) fn mapped(&self) -> Option<(&Mapped, usize)> {
        match &self.storage {
            Storage::Whole { file: Bytes::Mapped(map), start } => Some((map, *start)),
            Storage::Whole { file: Bytes::Read(_), .. } | Storage::Copied { .. } | Storage::Lanes(_) => None,
        }
    }

    /// Returns the type of the elements.
    pub(crate) fn ty(&self) -> Scalar {
        self.dtype.ty
    }

    /// Returns the shape of an array; `None` for raw elements.
    pub(crate) fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }

    /// Returns the lengths of an array in Fortran order, if its order differs from C order.
    pub(crate) fn fortran(&self) -> Option<&[u64]> {
        self.shape().filter(|shape| shape.differs_from_c()).map(|shape| shape.lengths.as_slice())
    }

    /// Returns the elements in the order of the file.
    pub(crate) fn lanes(&self) -> Result<LanesRef<'_>, DataError> {
        if let Storage::Lanes(lanes) = &self.storage {
            return Ok(lanes.borrow());
        }
        let lanes = (self.dtype.cast)(self.storage.elements());
        lanes.map_err(|error| DataError { path: self.path.clone(), reason: error.into() })
    }

    /// Checks by length and time of modification that the file has not changed since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), DataError> {
        let Some(Opened { file, len, written }) = &self.opened else { return Ok(()) };
        match file.metadata() {
            Ok(now) if now.len() == *len && now.modified().ok() == *written => Ok(()),
            _ => Err(DataError { path: self.path.clone(), reason: Reason::Changed }),
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
    Ok(Layout { dtype, start: 0, shape: None })
}

/// The bytes of a file, or a pipe that has more.
enum Source {
    Whole(Bytes, Option<Opened>),
    Pipe(Pipe),
}

fn bytes(path: &Path, limit: u64) -> Result<Source, Reason> {
    if path == Path::new(STANDARD_INPUT) {
        return read(Box::new(io::stdin()), limit);
    }
    match path.metadata()? {
        it if it.is_dir() => Err(Reason::Directory),
        it if it.is_file() => map(path, File::open(path)?).map(|(file, opened)| Source::Whole(file, opened)),
        it if is_pipe(&it) => read(Box::new(File::open(path)?), limit),
        _ => Err(Reason::NoFile),
    }
}

fn read(pipe: Box<dyn Read>, limit: u64) -> Result<Source, Reason> {
    let pipe = Pipe::begin(pipe, limit)?;
    Ok(if pipe.is_whole() { Source::Whole(pipe.load(limit)?, None) } else { Source::Pipe(pipe) })
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
fn map(path: &Path, file: File) -> Result<(Bytes, Option<Opened>), Reason> {
    let metadata = file.metadata()?;
    // SAFETY: the command does not write to its data; its help says that others must not during the run.
    let map = unsafe { Mapped::of(&file) }.map_err(Reason::of_mapping)?;
    #[cfg(unix)]
    crate::watch::watch(path, &map)?;
    let opened = Opened { file, len: metadata.len(), written: metadata.modified().ok() };
    Ok((Bytes::Mapped(map), Some(opened)))
}

#[cfg(test)]
mod tests;
