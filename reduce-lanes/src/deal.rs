//! Units of lanes, dealt out: the first parts of all units side by side, then the second ones, ….

use super::Aligned;
use reduce_ir::arith::Element;

/// How units are dealt out.
#[derive(Clone, Copy, Debug)]
pub struct Dealt {
    /// The lanes of a part.
    pub part: usize,
    /// The parts of a unit.
    pub parts: usize,
    /// From where the first parts lie to where the second ones do, in lanes.
    pub room: usize,
}

impl Dealt {
    /// Of so many lanes, those of the `k`-th parts. Of the last unit, some may not be there.
    pub fn len(self, lanes: usize, k: usize) -> usize {
        let unit = self.part * self.parts;
        lanes / unit * self.part + (lanes % unit).saturating_sub(k * self.part).min(self.part)
    }
}

/// `to` = the parts of the units of `from`, behind the `at` lanes that there are of each already. Common ones are known to the
/// compiler, which turns their copies into moves of vectors.
#[inline(always)]
pub(super) fn deal<T: Element>(from: &[T], how: Dealt, to: &mut Aligned<T>, at: usize) {
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

/// How many lanes it dealt: all of whole units.
#[inline(always)]
fn units<T: Element, const PART: usize, const PARTS: usize>(
    from: &[T],
    how: Dealt,
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
