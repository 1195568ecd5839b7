//! The bytes of partials: unchanged, and as the body of bytes with the right length and checksum.

use super::Verdict;
use reduce_dsl::parse;
use reduce_runtime::Partials;

/// The most groups that are merged, so that results of no elements stay small.
const MOST: u64 = 1 << 12;

pub(super) fn test_one_input(bytes: &[u8]) -> Verdict {
    Ok(read(bytes)? | read(&whole(bytes))?)
}

/// Checks that partials are written as they were read, and that merging them gives a result or an error.
fn read(bytes: &[u8]) -> Verdict {
    let Ok(partials) = Partials::from_bytes(bytes) else { return Ok(false) };
    if partials.to_bytes() != bytes {
        return Err("written partials differ from those that were read".to_owned());
    }
    if partials.shape().iter().product::<u64>() <= MOST {
        drop(Partials::merge(&[partials], parse::spec));
    }
    Ok(true)
}

/// Returns a body between a header and a checksum that fit it: CRC-64/XZ, bit by bit.
fn whole(body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u64).to_le_bytes();
    let mut bytes = [&b"reducegen parts\n"[..], &1u32.to_le_bytes(), &length, body].concat();
    let bit = |sum: u64, _| (sum >> 1) ^ if sum & 1 == 1 { 0xc96c_5795_d787_0f42 } else { 0 };
    let sum = !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u64::from(byte), bit));
    bytes.extend(sum.to_le_bytes());
    bytes
}
