//! Pipes: read to their end if they are short, and otherwise a reader of their elements.

use super::storage::Bytes;
use super::{Reason, raw_layout};
use crate::dtype::Dtype;
use crate::npy::{self, Layout};
use std::fmt;
use std::io::{self, Cursor, Read};

/// The bytes that are read before it is known how they are reduced. They contain every header of a NumPy file of any use.
const BEGINNING: u64 = 16 << 20;

/// The fewest bytes of `--limit` for which elements may be reduced while they arrive: as many may be kept in memory.
const STREAMED: u64 = 1 << 30;

/// A pipe with more bytes than were read.
pub(crate) struct Pipe {
    beginning: Vec<u8>,
    rest: Option<Box<dyn Read>>,
    /// The place of the first element.
    start: usize,
    /// The number of bytes of all elements, if a header has it.
    bytes: Option<u64>,
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pipe { beginning, start, bytes, .. } = self;
        f.debug_struct("Pipe")
            .field("read", &beginning.len())
            .field("start", start)
            .field("bytes", bytes)
            .finish()
    }
}

impl Pipe {
    /// Reads the beginning, or everything that `limit` allows if that is too little to reduce elements while they arrive.
    pub(super) fn begin(mut pipe: Box<dyn Read>, limit: u64) -> Result<Pipe, Reason> {
        let most = if limit < STREAMED { limit.saturating_add(1) } else { BEGINNING };
        let mut beginning = Vec::new();
        pipe.by_ref().take(most).read_to_end(&mut beginning)?;
        let is_whole = (beginning.len() as u64) < most;
        if !is_whole && limit < STREAMED {
            return Err(Reason::EndlessPipe { limit });
        }
        Ok(Pipe { beginning, rest: (!is_whole).then_some(pipe), start: 0, bytes: None })
    }

    /// Returns whether all bytes were read.
    pub(super) fn is_whole(&self) -> bool {
        self.rest.is_none()
    }

    /// Reads to the end.
    pub(super) fn load(self, limit: u64) -> Result<Bytes, Reason> {
        let mut bytes = self.beginning;
        if let Some(rest) = self.rest {
            rest.take(limit.saturating_add(1) - bytes.len() as u64).read_to_end(&mut bytes)?;
        }
        if bytes.len() as u64 > limit { Err(Reason::EndlessPipe { limit }) } else { Ok(Bytes::Read(bytes)) }
    }

    /// Finds the first element.
    pub(super) fn with_layout(self, raw: Option<&'static Dtype>) -> Result<(Layout, Pipe), Reason> {
        if let Some(dtype) = raw {
            let whole = self.beginning.len() / dtype.ty.size() * dtype.ty.size();
            return Ok((raw_layout(dtype, &self.beginning[..whole])?, self));
        }
        let (layout, bytes) = npy::beginning(&self.beginning)?;
        let start = layout.start;
        Ok((layout, Pipe { start, bytes: Some(bytes), ..self }))
    }

    /// Returns the number of bytes of all elements, if it is known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// Returns the bytes of all elements, and those that follow.
    pub(crate) fn into_elements(self) -> impl Read {
        let mut beginning = Cursor::new(self.beginning);
        beginning.set_position(self.start as u64);
        beginning.chain(self.rest.unwrap_or_else(|| Box::new(io::empty())))
    }
}
