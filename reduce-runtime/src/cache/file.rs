//! The bytes of a file of kernels that were compiled ahead: a header, then cache entries.
//!
//! | bytes | contents |
//! |---|---|
//! | 16 | `reducegen ahead` and a line end |
//! | 4 | the version of this layout |
//! | 32 | the digest of everything after it |
//! | 8 | the length of the version |
//! | … | the version: that of the crate, and of the associations |
//! | 8 | the length of the targets |
//! | … | the targets, with spaces between them: `sm_80 sm_90` |
//! | | for each entry: |
//! | 8 | its length |
//! | … | the entry, as in the cache |
//!
//! Numbers are little-endian.

use super::entry::{Entry, FORMAT};
use super::key::Key;
use crate::{KernelsError, Target};
use std::collections::BTreeMap;

const MAGIC: &[u8; 16] = b"reducegen ahead\n";

/// The kernels of a file, or those that become one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelFile {
    pub(crate) targets: Vec<Target>,
    pub(crate) entries: BTreeMap<Key, Entry>,
}

impl KernelFile {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let targets: Vec<_> = self.targets.iter().map(Target::to_string).collect();
        let mut body = Vec::new();
        let entries = self.entries.iter().map(|(key, entry)| entry.encode(key));
        let parts = [version().into_bytes(), targets.join(" ").into_bytes()].into_iter().chain(entries);
        for part in parts {
            body.extend((part.len() as u64).to_le_bytes());
            body.extend(part);
        }
        [&MAGIC[..], &FORMAT.to_le_bytes(), Key::of([&body[..]]).bytes(), &body].concat()
    }

    /// Decodes a file.
    pub(crate) fn decode(bytes: &[u8]) -> Result<KernelFile, KernelsError> {
        let bytes = bytes.strip_prefix(MAGIC).ok_or(KernelsError::NotKernels)?;
        let (format, bytes) = bytes.split_first_chunk().ok_or(KernelsError::Damaged)?;
        if u32::from_le_bytes(*format) != FORMAT {
            return Err(other_version(format!("layout {}", u32::from_le_bytes(*format))));
        }
        let (digest, body) = bytes.split_first_chunk::<{ Key::BYTES }>().ok_or(KernelsError::Damaged)?;
        if Key::of([body]).bytes() != digest {
            return Err(KernelsError::Damaged);
        }
        KernelFile::parts(body)
    }

    fn parts(mut body: &[u8]) -> Result<KernelFile, KernelsError> {
        let found = text(part(&mut body)?)?;
        if found != version() {
            return Err(other_version(found.to_owned()));
        }
        let targets = text(part(&mut body)?)?.split_whitespace();
        let targets = targets.map(|name| name.parse().map_err(|_| KernelsError::Damaged));
        let targets = targets.collect::<Result<_, _>>()?;
        let mut entries = BTreeMap::new();
        while !body.is_empty() {
            let (key, entry) = Entry::decode_any(part(&mut body)?).ok_or(KernelsError::Damaged)?;
            entries.insert(key, entry);
        }
        Ok(KernelFile { targets, entries })
    }
}

/// Returns the next part of a body, which has its length before it.
fn part<'a>(body: &mut &'a [u8]) -> Result<&'a [u8], KernelsError> {
    let (length, rest) = body.split_first_chunk().ok_or(KernelsError::Damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| KernelsError::Damaged)?;
    let (part, rest) = rest.split_at_checked(length).ok_or(KernelsError::Damaged)?;
    *body = rest;
    Ok(part)
}

fn text(part: &[u8]) -> Result<&str, KernelsError> {
    std::str::from_utf8(part).map_err(|_| KernelsError::Damaged)
}

fn version() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), reduce_codegen::ASSOCIATION)
}

fn other_version(found: String) -> KernelsError {
    KernelsError::Version { found, expected: version() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{Entry, FORMAT, KernelFile, Key, MAGIC};
    use crate::{Architecture, KernelsError, Target};

    fn file() -> KernelFile {
        let targets =
            vec![Target::Cubin(Architecture::from_number(90)), Target::Ptx(Architecture::from_number(80))];
        let entry = |size| Entry { text: "a log".to_owned(), image: vec![7; size] };
        let entries = [(Key::of([&b"one"[..]]), entry(40)), (Key::of([&b"two"[..]]), entry(0))];
        KernelFile { targets, entries: entries.into() }
    }

    /// Returns the bytes with a digest that is right for them.
    fn sealed(body: &[u8]) -> Vec<u8> {
        [&MAGIC[..], &FORMAT.to_le_bytes(), Key::of([body]).bytes(), body].concat()
    }

    #[test]
    fn a_file_reads_back_and_no_other_bytes_do() {
        let bytes = file().encode();
        assert_eq!(KernelFile::decode(&bytes), Ok(file()));
        assert_eq!(KernelFile::decode(b"\x7fELF and more of a cubin"), Err(KernelsError::NotKernels));
        for length in 0..bytes.len() {
            assert!(KernelFile::decode(&bytes[..length]).is_err(), "cut off after {length}");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(KernelFile::decode(&changed).is_err(), "changed at {place}");
        }
    }

    /// A digest protects from accidents, not from others: the parts are checked as well.
    #[test]
    fn parts_that_do_not_fit_are_damaged() {
        let bytes = file().encode();
        let body = &bytes[MAGIC.len() + 4 + Key::BYTES..];
        assert_eq!(KernelFile::decode(&sealed(body)), Ok(file()));
        for length in 1..body.len() {
            // Without its last entries, it is a file as well.
            let cut = KernelFile::decode(&sealed(&body[..length]));
            assert!(cut.is_err() || cut.unwrap().entries.len() < 2, "cut off after {length}");
        }
        let huge = [&u64::MAX.to_le_bytes()[..], body].concat();
        assert_eq!(KernelFile::decode(&sealed(&huge)), Err(KernelsError::Damaged));
    }

    #[test]
    fn other_versions_are_named() {
        let bytes = file().encode();
        let mut other = bytes.clone();
        other[MAGIC.len()] += 1;
        assert!(matches!(KernelFile::decode(&other), Err(KernelsError::Version { .. })));
        let mut body = bytes[MAGIC.len() + 4 + Key::BYTES..].to_vec();
        body[8] ^= 1;
        let error = KernelFile::decode(&sealed(&body)).unwrap_err();
        assert!(matches!(&error, KernelsError::Version { found, expected } if found != expected), "{error}");
    }
}
