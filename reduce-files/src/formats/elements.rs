//! Little-endian elements, read in pieces: memory grows as they arrive.

use super::error::Reason;
use reduce_ir::{Scalar, bf16, f16};
use reduce_lanes::{Aligned, Lanes};
use std::io::Read;

/// The bytes that are read at a time: a multiple of the size of every element.
const PIECE: usize = 1 << 20;

/// Reads that many elements.
pub(super) fn read(mut from: impl Read, place: &str, ty: Scalar, values: u64) -> Result<Lanes, Reason> {
    let mut lanes = Lanes::empty(ty);
    let mut left = values.saturating_mul(ty.size() as u64);
    let mut piece = vec![0; left.min(PIECE as u64) as usize];
    while left > 0 {
        let piece = &mut piece[..left.min(PIECE as u64) as usize];
        from.read_exact(piece).map_err(|error| of_read(place, error))?;
        if !append(&mut lanes, piece) {
            return Err(Reason::damaged(place, "a bool is neither 0 nor 1"));
        }
        left -= piece.len() as u64;
    }
    Ok(lanes)
}

/// Returns the reason of an error of reading: of the system, or of what was read.
pub(super) fn of_read(place: &str, error: std::io::Error) -> Reason {
    if error.raw_os_error().is_some() { Reason::Io(error) } else { Reason::damaged(place, error) }
}

/// Appends the elements of some bytes, unless one is no bool.
fn append(lanes: &mut Lanes, bytes: &[u8]) -> bool {
    macro_rules! extend {
        ($lanes:ident, $ty:ty) => {{
            let elements: &mut Aligned<$ty> = $lanes;
            elements.extend(bytes.as_chunks().0.iter().map(|bytes| <$ty>::from_le_bytes(*bytes)));
        }};
    }
    match lanes {
        Lanes::Bool(lanes) => lanes.extend(bytes.iter().map(|&byte| byte == 1)),
        Lanes::F16(lanes) => extend!(lanes, f16),
        Lanes::Bf16(lanes) => extend!(lanes, bf16),
        Lanes::F32(lanes) => extend!(lanes, f32),
        Lanes::F64(lanes) => extend!(lanes, f64),
        Lanes::I8(lanes) => extend!(lanes, i8),
        Lanes::I16(lanes) => extend!(lanes, i16),
        Lanes::I32(lanes) => extend!(lanes, i32),
        Lanes::I64(lanes) => extend!(lanes, i64),
        Lanes::U8(lanes) => lanes.extend_from_slice(bytes),
        Lanes::U16(lanes) => extend!(lanes, u16),
        Lanes::U32(lanes) => extend!(lanes, u32),
        Lanes::U64(lanes) => extend!(lanes, u64),
    }
    lanes.ty() != Scalar::Bool || bytes.iter().all(|&byte| byte <= 1)
}
