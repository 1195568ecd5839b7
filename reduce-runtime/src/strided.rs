//! Data of which every so many elements are an input.

use reduce_lanes::LanesRef;
use std::ops::Range;

/// Elements that lie a step apart: element i of `len` is at the place `offset + i * step` of the data.
///
/// A reduction with `layout: strided` takes one in the place of each slice; a slice is one of step 1. Positions,
/// as those that `argmax` gives, count elements, not places in the data.
///
/// A negative step goes backwards from `offset`, and step 0 is one element `len` times:
///
/// ```
/// use reduce_runtime::Strided;
///
/// let data = [1.0f32, 2.0, 3.0, 4.0, 5.0];
/// // 5.0, 3.0, 1.0
/// let backwards = Strided { data: &data[..], offset: 4, step: -2, len: 3 };
/// assert_eq!(Strided::every(&data, 4, -2), Some(backwards));
/// // 2.0, 2.0, 2.0
/// let repeated = Strided { data: &data[..], offset: 1, step: 0, len: 3 };
/// assert_eq!(repeated.place(2), Some(1));
/// ```
///
/// BLAS starts at the other end where `incx` is negative: its element i is at `(n - 1 - i) * |incx|`. Its vector is
/// `offset: (n - 1) * |incx|, step: incx, len: n` here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strided<D> {
    /// What the elements lie in: `&[f32]`, or a reference to a slice or view on a device.
    pub data: D,
    /// The place of the first element.
    pub offset: usize,
    /// The distance to the next element: backwards if it is negative, none if it is 0.
    pub step: isize,
    /// The number of elements.
    pub len: usize,
}

impl<D> Strided<D> {
    /// The most elements of step 0: each takes time, and no memory bounds them.
    pub const MOST_REPEATED: u64 = 1 << 40;

    /// As many elements of other data, such as a copy on a device, at the same places.
    pub fn of<E>(&self, data: E) -> Strided<E> {
        Strided { data, offset: self.offset, step: self.step, len: self.len }
    }

    /// The place of element `i`; `None` for `i` from `len` on, or a place that no `usize` names.
    pub fn place(&self, i: usize) -> Option<usize> {
        if i >= self.len {
            return None;
        }
        let distance = self.step.unsigned_abs().checked_mul(i)?;
        if self.step < 0 { self.offset.checked_sub(distance) } else { self.offset.checked_add(distance) }
    }

    /// The places from the least to the greatest of an element, at `offset` if there are no elements; `None` if one is
    /// below 0 or beyond all memory.
    pub(crate) fn span(&self) -> Option<Range<usize>> {
        let Some(last) = self.len.checked_sub(1) else { return Some(self.offset..self.offset) };
        let last = self.place(last)?;
        Some(self.offset.min(last)..self.offset.max(last).checked_add(1)?)
    }

    /// The places from the least to the greatest of the elements in a range, of elements that are in the data.
    pub(crate) fn places(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        let place = |i: usize| self.offset.wrapping_add_signed(self.step.wrapping_mul(i as isize));
        let (first, last) = (place(range.start), place(range.end - 1));
        first.min(last)..first.max(last) + 1
    }

    /// The place of the first element among those of [`Strided::places`] of all elements.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn lead(&self) -> usize {
        if self.len == 0 { 0 } else { self.offset - self.places(0..self.len).start }
    }
}

impl<'a, T> Strided<&'a [T]> {
    /// The elements of a slice from `offset` on, up to its end, or down to its beginning if the step is negative.
    ///
    /// `None` where `offset` is beyond the end of the slice, and for step 0, whose number of elements nothing gives.
    pub fn every(data: &'a [T], offset: usize, step: isize) -> Option<Strided<&'a [T]>> {
        let len = most(data.len(), offset, step)?;
        Some(Strided { data, offset, step, len })
    }
}

/// The number of elements of [`Strided::every`] in data of that length.
fn most(data: usize, offset: usize, step: isize) -> Option<usize> {
    let behind = data.checked_sub(offset)?;
    let there = if step < 0 && behind > 0 { offset + 1 } else { behind };
    (step != 0).then(|| there.div_ceil(step.unsigned_abs()))
}

impl<'a> Strided<LanesRef<'a>> {
    /// [`Strided::every`] of lanes, whose type is told at run time.
    pub fn every_lane(data: LanesRef<'a>, offset: usize, step: isize) -> Option<Strided<LanesRef<'a>>> {
        let len = most(data.len(), offset, step)?;
        Some(Strided { data, offset, step, len })
    }
}

impl<'a> From<LanesRef<'a>> for Strided<LanesRef<'a>> {
    fn from(data: LanesRef<'a>) -> Strided<LanesRef<'a>> {
        Strided { data, offset: 0, step: 1, len: data.len() }
    }
}

/// All elements of a slice.
impl<'a, T> From<&'a [T]> for Strided<LanesRef<'a>>
where
    LanesRef<'a>: From<&'a [T]>,
{
    fn from(data: &'a [T]) -> Strided<LanesRef<'a>> {
        LanesRef::from(data).into()
    }
}

/// Elements of a slice, whose type is told at run time.
impl<'a, T> From<Strided<&'a [T]>> for Strided<LanesRef<'a>>
where
    LanesRef<'a>: From<&'a [T]>,
{
    fn from(elements: Strided<&'a [T]>) -> Strided<LanesRef<'a>> {
        elements.of(LanesRef::from(elements.data))
    }
}

#[cfg(test)]
mod tests {
    use super::Strided;

    /// A copy for a device begins at the least place; the kernel gets a pointer to the first element.
    #[test]
    fn copies_begin_at_the_least_place() {
        let view = |offset, step, len| Strided { data: (), offset, step, len };
        for (view, places, lead) in [
            (view(2, 3, 4), 2..12, 0),
            (view(11, -3, 4), 2..12, 9),
            (view(5, -1, 1), 5..6, 0),
            (view(7, 0, 9), 7..8, 0),
            (view(7, -2, 0), 0..0, 0),
        ] {
            assert_eq!((view.places(0..view.len), view.lead()), (places, lead), "{view:?}");
        }
    }
}
