//! The bytes of a cache entry: unchanged, and after a header that fits them.

use super::Verdict;
use crate::cache::{decoded, with_header};

pub(super) fn test_one_input(bytes: &[u8]) -> Verdict {
    let fitting = with_header(bytes);
    let accepted = read(bytes)? | read(&fitting)?;
    // An entry with one byte more or less is refused.
    let longer = [&fitting[..], &[0]].concat();
    for other in [&longer[..], &fitting[..fitting.len() - 1]] {
        if read(other)? {
            return Err("bytes with the digest of others are an entry".to_owned());
        }
    }
    Ok(accepted)
}

/// Checks that a decoded entry encodes to the same bytes.
fn read(bytes: &[u8]) -> Verdict {
    match decoded(bytes) {
        Some(again) if again != bytes => Err("an entry is written otherwise than it was read".to_owned()),
        entry => Ok(entry.is_some()),
    }
}
