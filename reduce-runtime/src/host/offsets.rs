//! Offsets of any integer type, checked and converted on all cores.

use super::threads;
use reduce_lanes::LanesRef;

/// Offsets that a thread converts at a time.
const SHARE: usize = 1 << 18;

/// A scalar that can be an offset. A negative one becomes greater than all positions.
trait Offset: Copy + PartialOrd + Sync {
    fn place(self) -> u64;
}

macro_rules! offsets {
    ($($ty:ty)*) => { $(impl Offset for $ty { fn place(self) -> u64 { self as u64 } })* };
}

offsets!(u32 u64 i32 i64);

/// Returns offsets as places among `len` elements. `None` if one is outside, is less than the one before, or has another type than
/// `u32`, `u64`, `i32` and `i64`.
pub(crate) fn places_of(offsets: LanesRef<'_>, len: u64) -> Option<Vec<usize>> {
    match offsets {
        LanesRef::U32(offsets) => places(offsets, len),
        LanesRef::U64(offsets) => places(offsets, len),
        LanesRef::I32(offsets) => places(offsets, len),
        LanesRef::I64(offsets) => places(offsets, len),
        LanesRef::I8(_) | LanesRef::I16(_) | LanesRef::U8(_) | LanesRef::U16(_) | LanesRef::Bool(_) => None,
        LanesRef::F16(_) | LanesRef::Bf16(_) | LanesRef::F32(_) | LanesRef::F64(_) => None,
    }
}

fn places<T: Offset>(offsets: &[T], len: u64) -> Option<Vec<usize>> {
    let is_inside = |offset: Option<&T>| offset.is_none_or(|offset| offset.place() <= len);
    if !is_inside(offsets.first()) || !is_inside(offsets.last()) {
        return None;
    }
    let mut all = vec![0; offsets.len()];
    let shares = all.chunks_mut(SHARE).enumerate().map(|(share, all)| (share * SHARE, all)).collect();
    let convert = |(first, all): (usize, &mut [usize])| {
        let end = first + all.len();
        all.iter_mut().zip(&offsets[first..end]).for_each(|(place, offset)| *place = offset.place() as usize);
        // Without an early end, the compiler vectorises the comparisons.
        let ascending = offsets[first.saturating_sub(1)..end]
            .windows(2)
            .fold(true, |all, pair| all & (pair[0] <= pair[1]));
        ascending.then_some(()).ok_or(())
    };
    threads::map(shares, convert).ok()?;
    Some(all)
}
