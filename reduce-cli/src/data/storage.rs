//! The bytes of a data file, in place if possible.

use super::Reason;
use crate::dtype::Dtype;
use reduce_ir::Scalar;
use reduce_lanes::Lanes;
use reduce_runtime::Mapped;
use std::ops::Deref;

/// The elements of a file.
#[derive(Debug)]
pub(super) enum Storage {
    /// The file from byte `start`.
    Whole { file: Bytes, start: usize },
    /// The first `bytes` bytes of an aligned copy, for misaligned elements and for mapped `bool`s.
    Copied { words: Vec<u64>, bytes: usize },
    /// The values of a column.
    Lanes(Lanes),
}

/// The contents of a file.
#[derive(Debug)]
pub(super) enum Bytes {
    Mapped(Mapped),
    /// The bytes read from a pipe.
    Read(Vec<u8>),
}

impl Storage {
    /// Returns the elements from byte `start` on. They are copied only if necessary and not larger than the limit.
    pub(super) fn new(file: Bytes, start: usize, dtype: &Dtype, limit: u64) -> Result<Storage, Reason> {
        let elements = &file[start..];
        let aligned = elements.as_ptr().addr().is_multiple_of(dtype.ty.size());
        // A byte of a `bool` is checked once, and must not change after that.
        let stays = dtype.ty != Scalar::Bool || matches!(file, Bytes::Read(_));
        if aligned && stays {
            return Ok(Storage::Whole { file, start });
        }
        let (bytes, ty) = (elements.len(), dtype.ty);
        if bytes as u64 > limit {
            return Err(Reason::LargeCopy { bytes: bytes as u64, ty, limit });
        }
        let words = copy(elements).ok_or(Reason::NoMemory { bytes: bytes as u64, ty })?;
        Ok(Storage::Copied { words, bytes })
    }

    /// Returns the bytes of the elements.
    pub(super) fn elements(&self) -> &[u8] {
        match self {
            Storage::Whole { file, start } => &file[*start..],
            Storage::Copied { words, bytes } => &bytemuck::cast_slice(words)[..*bytes],
            // They have their type already.
            Storage::Lanes(_) => &[],
        }
    }
}

/// Copies bytes into words; `None` if there is not enough memory.
fn copy(bytes: &[u8]) -> Option<Vec<u64>> {
    let mut words = Vec::new();
    words.try_reserve_exact(bytes.len().div_ceil(size_of::<u64>())).ok()?;
    let (whole, rest) = bytes.as_chunks();
    words.extend(whole.iter().map(|word| u64::from_ne_bytes(*word)));
    if !rest.is_empty() {
        let mut last = [0; size_of::<u64>()];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u64::from_ne_bytes(last));
    }
    Some(words)
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
