//! The files of reduce-runtime that read cache entries. They are private there, so they are compiled here again.

#[allow(dead_code, reason = "only the code that reads and writes entries is used here")]
#[path = "../../reduce-runtime/src/cache"]
mod files {
    mod entry;
    mod key;

    use entry::{Entry, FORMAT};
    use key::Key;

    fn key() -> Key {
        Key::of([&b"fuzz"[..]])
    }

    /// Decodes a cache entry and encodes it again. Returns `None` if the bytes are not an entry.
    pub(crate) fn decoded(bytes: &[u8]) -> Option<Vec<u8>> {
        Some(Entry::decode(&key(), bytes)?.encode(&key()))
    }

    /// Puts the header of an entry, with the digest of `body`, in front of `body`.
    pub(crate) fn with_header(body: &[u8]) -> Vec<u8> {
        let whole = Entry { text: String::new(), image: Vec::new() }.encode(&key());
        let magic = whole.split_at(16).0;
        let digest = Key::of([body]);
        [magic, &FORMAT.to_le_bytes(), key().bytes(), digest.bytes(), body].concat()
    }
}

pub(crate) use files::{decoded, with_header};
