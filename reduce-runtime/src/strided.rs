//! Elements at regular distances in data.

use reduce_lanes::LanesRef;
use std::ops::Range;

/// Elements at a constant distance: element i of `len` is at position `offset + i * step` of the data.
///
/// A reduction with `layout: strided` takes one in place of each slice; a slice has step 1. Positions in results, such
/// as those of `argmax`, count elements, not positions in the data.
///
/// With a negative step, elements go backwards from `offset`. Step 0 repeats one element `len` times:
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
/// BLAS starts at the other end if `incx` is negative: its element i is at `(n - 1 - i) * |incx|`. The same vector here
/// is `offset: (n - 1) * |incx|, step: incx, len: n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strided<D> {
    /// The data that contains the elements: `&[f32]`, or a reference to a slice or view on a device.
    pub data: D,
    /// The position of the first element.
    pub offset: usize,
    /// The distance to the next element: backwards if it is negative, the same element if it is 0.
    pub step: isize,
    /// The number of elements.
    pub len: usize,
}

impl<D> Strided<D> {
    /// The limit on the number of elements with step 0: each takes time, and the size of the data does not bound them.
    pub const MOST_REPEATED: u64 = 1 << 40;

    /// Returns the same positions in other data, such as a copy on a device.
    pub fn with_data<E>(&self, data: E) -> Strided<E> {
        Strided { data, offset: self.offset, step: self.step, len: self.len }
    }

    /// Returns up to `len` elements from element `first` on, in the same data.
    pub(crate) fn part(&self, first: usize, len: usize) -> Strided<D>
    where
        D: Copy,
    {
        let len = len.min(self.len.saturating_sub(first));
        let offset = self.place(first).unwrap_or(self.offset);
        Strided { data: self.data, offset, step: self.step, len }
    }

    /// Returns the position of element `i`; `None` if `i >= len` or the position does not fit into `usize`.
    pub fn place(&self, i: usize) -> Option<usize> {
        if i >= self.len {
            return None;
        }
        let distance = self.step.unsigned_abs().checked_mul(i)?;
        if self.step < 0 { self.offset.checked_sub(distance) } else { self.offset.checked_add(distance) }
    }

    /// Returns the range of positions from the lowest to the highest element, empty at `offset` if there are no
    /// elements; `None` if a position is negative or does not fit into `usize`.
    pub(crate) fn span(&self) -> Option<Range<usize>> {
        let Some(last) = self.len.checked_sub(1) else { return Some(self.offset..self.offset) };
        let last = self.place(last)?;
        Some(self.offset.min(last)..self.offset.max(last).checked_add(1)?)
    }

    /// Returns the range of positions from the lowest to the highest of the elements in `range`. All elements must lie
    /// in the data.
    pub(crate) fn places(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        let place = |i: usize| self.offset.wrapping_add_signed(self.step.wrapping_mul(i as isize));
        let (first, last) = (place(range.start), place(range.end - 1));
        first.min(last)..first.max(last) + 1
    }

    /// Returns the position of the first element, relative to [`Strided::places`] of all elements.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn lead(&self) -> usize {
        if self.len == 0 { 0 } else { self.offset - self.places(0..self.len).start }
    }
}

impl<'a, T> Strided<&'a [T]> {
    /// Returns every `step`-th element of a slice from `offset` on, up to its end, or down to its beginning if the step
    /// is negative.
    ///
    /// Returns `None` if `offset` is beyond the end of the slice, and for step 0, because the number of elements is
    /// unknown.
    pub fn every(data: &'a [T], offset: usize, step: isize) -> Option<Strided<&'a [T]>> {
        let len = count_every(data.len(), offset, step)?;
        Some(Strided { data, offset, step, len })
    }
}

/// Returns the number of elements of [`Strided::every`] in data of that length.
fn count_every(data: usize, offset: usize, step: isize) -> Option<usize> {
    let after = data.checked_sub(offset)?;
    let available = if step < 0 && after > 0 { offset + 1 } else { after };
    (step != 0).then(|| available.div_ceil(step.unsigned_abs()))
}

impl<'a> Strided<LanesRef<'a>> {
    /// As [`Strided::every`], for lanes of a type that is known at run time.
    #[must_use]
    pub fn every_lane(data: LanesRef<'a>, offset: usize, step: isize) -> Option<Strided<LanesRef<'a>>> {
        let len = count_every(data.len(), offset, step)?;
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

/// Strided elements of a slice, with the type known at run time.
impl<'a, T> From<Strided<&'a [T]>> for Strided<LanesRef<'a>>
where
    LanesRef<'a>: From<&'a [T]>,
{
    fn from(elements: Strided<&'a [T]>) -> Strided<LanesRef<'a>> {
        elements.with_data(LanesRef::from(elements.data))
    }
}

#[cfg(test)]
mod tests {
    use super::Strided;

    /// A copy for a device begins at the lowest position; the kernel gets a pointer to the first element.
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
