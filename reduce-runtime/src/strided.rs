//! Data of which every so many elements are an input.

use reduce_dsl::lanes::LanesRef;
use std::ops::Range;

/// Elements that lie a step apart: element i of `len` is `data[offset + i * step]`.
///
/// A reduction with `layout: strided` takes one in the place of each slice; a slice is one of step 1. Positions,
/// as those that `argmax` gives, count elements, not places in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strided<D> {
    /// What the elements lie in: `&[f32]`, or a reference to a slice or view on a device.
    pub data: D,
    /// Where the first element is.
    pub offset: usize,
    /// The distance between neighbours, at least 1.
    pub step: usize,
    /// The number of elements.
    pub len: usize,
}

impl<D> Strided<D> {
    /// As many elements of other data, such as a copy on a device, at the same places.
    pub fn of<E>(&self, data: E) -> Strided<E> {
        Strided { data, offset: self.offset, step: self.step, len: self.len }
    }

    /// The place behind the last element; `None` beyond all memory.
    pub(crate) fn end(&self) -> Option<usize> {
        let Some(last) = self.len.checked_sub(1) else { return Some(self.offset) };
        last.checked_mul(self.step)?.checked_add(self.offset)?.checked_add(1)
    }

    /// The places from element `range.start` to the last of the range, of elements that are in the data.
    pub(crate) fn places(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        self.offset + range.start * self.step..self.offset + (range.end - 1) * self.step + 1
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
