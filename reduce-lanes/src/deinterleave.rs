//! Deinterleaves units of lanes: the first parts of all units side by side, then the second parts, ….

use super::Aligned;
use reduce_ir::arith::Element;

/// How units are deinterleaved.
#[derive(Clone, Copy, Debug)]
pub struct Deinterleave {
    /// The lanes of a part.
    pub part: usize,
    /// The parts of a unit.
    pub parts: usize,
    /// The distance from the first parts to the second parts, in lanes.
    pub room: usize,
}

impl Deinterleave {
    /// How many of `lanes` lanes belong to `k`-th parts. The last unit may be incomplete.
    pub fn len(self, lanes: usize, k: usize) -> usize {
        let unit = self.part * self.parts;
        lanes / unit * self.part + (lanes % unit).saturating_sub(k * self.part).min(self.part)
    }
}

/// Appends the parts of the units of `from` to the `at` lanes that `to` has of each. Common shapes are constants, so that the
/// compiler copies by vector moves.
#[inline(always)]
pub(super) fn deinterleave<T: Element>(from: &[T], how: Deinterleave, to: &mut Aligned<T>, at: usize) {
    to.resize(how.parts * how.room, T::default());
    let done = match (how.part, how.parts) {
        (1, 2) => units::<T, 1, 2>(from, how, to, at),
        (1, 4) => units::<T, 1, 4>(from, how, to, at),
        (2, 2) => units::<T, 2, 2>(from, how, to, at),
        (2, 4) => units::<T, 2, 4>(from, how, to, at),
        (4, 2) => units::<T, 4, 2>(from, how, to, at),
        (4, 4) => units::<T, 4, 4>(from, how, to, at),
        _ => 0,
    };
    let at = at + how.len(done, 0);
    for (k, to) in to.chunks_mut(how.room).enumerate() {
        let parts = from[done..].chunks(how.part * how.parts).filter_map(|unit| unit.chunks(how.part).nth(k));
        for (to, part) in to[at..].chunks_mut(how.part).zip(parts) {
            to[..part.len()].copy_from_slice(part);
        }
    }
}

/// Deinterleaves all whole units. Returns how many lanes they have.
#[inline(always)]
fn units<T: Element, const PART: usize, const PARTS: usize>(
    from: &[T],
    how: Deinterleave,
    to: &mut [T],
    at: usize,
) -> usize {
    let units = from.as_chunks::<PART>().0.as_chunks::<PARTS>().0;
    let mut rooms = to.chunks_exact_mut(how.room);
    let mut to = [(); PARTS].map(|()| rooms.next().map_or(&mut [][..], |room| &mut room[at..]));
    let to = to.each_mut().map(|to| &mut to.as_chunks_mut::<PART>().0[..units.len()]);
    for (i, unit) in units.iter().enumerate() {
        for k in 0..PARTS {
            to[k][i] = unit[k];
        }
    }
    units.len() * PART * PARTS
}
