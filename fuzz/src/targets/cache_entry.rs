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
            return Err("an entry with the digest of other bytes is accepted".to_owned());
        }
    }
    Ok(accepted)
}

/// Checks that a decoded entry encodes to the same bytes.
fn read(bytes: &[u8]) -> Verdict {
    match decoded(bytes) {
        Some(again) if again != bytes => {
            Err("a written entry differs from the entry that was read".to_owned())
        }
        entry => Ok(entry.is_some()),
    }
}
