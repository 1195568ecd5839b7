//! The bytes of a cache entry: a header that identifies it, then a text and an image.
//!
//! | bytes | contents |
//! |---|---|
//! | 16 | `reducegen cache` and a line end |
//! | 4 | the version of this layout |
//! | 32 | the key |
//! | 32 | the digest of everything after it |
//! | 8 | the length of the text |
//! | … | the text: the log of the compiler, with the resources of each kernel |
//! | … | the image: a cubin, or the text of PTX |
//!
//! Numbers are little-endian.

use super::key::Key;

const MAGIC: &[u8; 16] = b"reducegen cache\n";
pub(crate) const FORMAT: u32 = 1;

/// The contents of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) text: String,
    pub(crate) image: Vec<u8>,
}

impl Entry {
    pub(super) fn encode(&self, key: &Key) -> Vec<u8> {
        let length = (self.text.len() as u64).to_le_bytes();
        let body = [&length[..], self.text.as_bytes(), &self.image].concat();
        let digest = Key::of([&body[..]]);
        let header = [&MAGIC[..], &FORMAT.to_le_bytes(), key.bytes(), digest.bytes()];
        [&header.concat()[..], &body].concat()
    }

    /// Decodes an entry. Returns `None` unless the bytes are exactly one entry with that key.
    pub(super) fn decode(key: &Key, bytes: &[u8]) -> Option<Entry> {
        Entry::decode_any(bytes).filter(|(found, _)| found == key).map(|(_, entry)| entry)
    }

    /// Decodes an entry with its key. Returns `None` unless the bytes are exactly one entry.
    pub(super) fn decode_any(bytes: &[u8]) -> Option<(Key, Entry)> {
        let bytes = bytes.strip_prefix(MAGIC)?;
        let bytes = bytes.strip_prefix(&FORMAT.to_le_bytes())?;
        let (key, bytes) = bytes.split_first_chunk()?;
        let (digest, body) = bytes.split_first_chunk::<{ Key::BYTES }>()?;
        if Key::of([body]).bytes() != digest {
            return None;
        }
        let (length, content) = body.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (text, image) = content.split_at_checked(length)?;
        let entry = Entry { text: String::from_utf8(text.to_vec()).ok()?, image: image.to_vec() };
        Some((Key::from_bytes(*key), entry))
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Key};

    #[test]
    fn an_entry_reads_back_and_no_other_bytes_do() {
        let key = Key::of([&b"key"[..]]);
        let entry = Entry { text: "a log".to_owned(), image: vec![7; 40] };
        let bytes = entry.encode(&key);
        assert_eq!(Entry::decode(&key, &bytes), Some(entry));
        assert_eq!(Entry::decode(&Key::of([&b"other"[..]]), &bytes), None);
        for length in 0..bytes.len() {
            assert_eq!(Entry::decode(&key, &bytes[..length]), None, "cut off after {length}");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert_eq!(Entry::decode(&key, &changed), None, "changed at {place}");
        }
        assert_eq!(Entry::decode(&key, &[&bytes[..], b"more"].concat()), None);
    }

    #[test]
    fn parts_of_a_key_do_not_run_into_each_other() {
        assert_ne!(Key::of([&b"ab"[..], b"c"]), Key::of([&b"a"[..], b"bc"]));
    }
}
