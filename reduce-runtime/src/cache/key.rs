//! Keys of cache entries: digests of everything that determines an entry.

use sha2::{Digest, Sha256};
use std::fmt;

/// A SHA-256 digest. Its text is the name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key([u8; Key::BYTES]);

impl Key {
    pub(super) const BYTES: usize = 32;

    /// Digests parts in order. Each part is prefixed with its length, so bytes cannot move from one part to the next.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        Key(digest.finalize().into())
    }

    pub(super) fn from_bytes(bytes: [u8; Key::BYTES]) -> Key {
        Key(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8; Key::BYTES] {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
