//! Views of data with several axes.

#[cfg(feature = "candle")]
mod candle;
#[cfg(feature = "ndarray")]
mod ndarray;

#[cfg(feature = "candle")]
pub use candle::{TensorError, TensorStorage};
#[cfg(feature = "ndarray")]
pub use ndarray::GapsError;
use reduce_ir::Scalar;
use reduce_ir::axes::Shape;
use std::ops::Range;

/// Elements along several axes: the element at coordinates `c` is at position `offset + Σ c[axis] * steps[axis]` of the data.
///
/// Steps are in elements. A step of 0 repeats elements, and a negative one goes backwards. Nothing is copied: a transposed or
/// sliced matrix is the same data with other steps.
///
/// ```
/// use reduce_runtime::View;
///
/// let data = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let matrix = View::new(&data[..], [2, 3]);
/// assert_eq!(matrix.steps, [3, 1]);
/// let transposed = View { lengths: vec![3, 2], steps: vec![1, 3], ..matrix };
/// assert_eq!(transposed.offset, 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View<D> {
    /// The data that contains the elements.
    pub data: D,
    /// The position of the first element.
    pub offset: usize,
    /// The length of each axis, the slowest first.
    pub lengths: Vec<usize>,
    /// The distance along each axis.
    pub steps: Vec<isize>,
}

impl<D> View<D> {
    /// Returns the view of all elements in row-major order: the last axis is the fastest.
    pub fn new(data: D, lengths: impl Into<Vec<usize>>) -> View<D> {
        let lengths = lengths.into();
        let mut steps = vec![0; lengths.len()];
        let mut step = 1usize;
        for (place, length) in steps.iter_mut().zip(&lengths).rev() {
            *place = step as isize;
            step = step.saturating_mul((*length).max(1)).min(isize::MAX as usize);
        }
        View { data, offset: 0, lengths, steps }
    }

    /// Returns the same positions in other data, such as a copy on a device.
    pub fn with_data<E>(&self, data: E) -> View<E> {
        View { data, offset: self.offset, lengths: self.lengths.clone(), steps: self.steps.clone() }
    }

    /// Returns a view for each element of the arrays, whose elements lie between each other.
    pub(crate) fn elements_of_arrays(&self, count: usize) -> impl Iterator<Item = View<()>> {
        let width = isize::try_from(count).unwrap_or(isize::MAX);
        let steps: Vec<_> = self.steps.iter().map(|step| step.saturating_mul(width)).collect();
        let (first, lengths) = (self.offset.saturating_mul(count), self.lengths.clone());
        let is_empty = lengths.contains(&0);
        (0..count).map(move |at| View {
            data: (),
            // The data of a view without elements may have no second element.
            offset: first.saturating_add(if is_empty { 0 } else { at }),
            lengths: lengths.clone(),
            steps: steps.clone(),
        })
    }

    /// Returns lengths and steps.
    pub(crate) fn shape(&self) -> Shape {
        Shape {
            lengths: self.lengths.iter().map(|&length| length as u64).collect(),
            steps: self.steps.iter().map(|&step| step as i64).collect(),
        }
    }

    /// Returns the range of positions from the lowest element to the highest, empty if there are no elements; `None` if a
    /// position is negative or does not fit into `usize`.
    pub(crate) fn span(&self) -> Option<Range<usize>> {
        if self.lengths.contains(&0) {
            return Some(self.offset..self.offset);
        }
        let (mut low, mut high) = (self.offset as i128, self.offset as i128);
        for (&length, &step) in self.lengths.iter().zip(&self.steps) {
            let far = (length as i128 - 1).checked_mul(step as i128)?;
            low += far.min(0);
            high += far.max(0);
        }
        Some(usize::try_from(low).ok()?..usize::try_from(high).ok()?.checked_add(1)?)
    }
}

/// The reason why a view is not one of its data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// It has not one step for each axis.
    #[error(
        "the view of input `{input}` has {lengths} lengths and {steps} steps; give one step for each axis"
    )]
    Steps {
        /// The input.
        input: String,
        /// The number of lengths.
        lengths: usize,
        /// The number of steps.
        steps: usize,
    },
    /// It has elements behind its data.
    #[error(
        "the view of input `{input}` needs {needed} elements, and its data has {data}; check its offset, lengths and steps"
    )]
    Outside {
        /// The input.
        input: String,
        /// The number of elements that the data would need.
        needed: usize,
        /// The length of its data.
        data: usize,
    },
    /// A view cannot hold the results.
    #[error(
        "results of shape {expected:?} cannot be written to a view of shape {found:?} with steps {steps:?} in {len} elements; \
         give each result a place of its own in the data"
    )]
    ResultPlaces {
        /// The shape of the results.
        expected: Vec<usize>,
        /// The lengths of the view.
        found: Vec<usize>,
        /// Its steps.
        steps: Vec<isize>,
        /// The length of its data.
        len: usize,
    },
    /// A position is negative, or beyond all memory.
    #[error(
        "the view of input `{input}` begins before index 0 or ends beyond memory; check its offset, lengths and steps"
    )]
    Nowhere {
        /// The input.
        input: String,
    },
}

/// Checks that a view has one step for each axis, and lies in its data.
pub(crate) fn check(input: &str, view: &View<(Scalar, usize)>) -> Result<(), ViewError> {
    let (lengths, steps) = (view.lengths.len(), view.steps.len());
    if lengths != steps {
        return Err(ViewError::Steps { input: input.to_owned(), lengths, steps });
    }
    let data = view.data.1;
    match view.span() {
        Some(span) if span.end <= data => Ok(()),
        Some(span) => Err(ViewError::Outside { input: input.to_owned(), needed: span.end, data }),
        None => Err(ViewError::Nowhere { input: input.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::View;

    #[test]
    fn a_view_spans_the_positions_of_its_elements() {
        let view = |offset, lengths: &[usize], steps: &[isize]| View {
            data: (),
            offset,
            lengths: lengths.to_vec(),
            steps: steps.to_vec(),
        };
        for (view, span) in [
            (view(0, &[2, 3], &[3, 1]), Some(0..6)),
            (view(5, &[2, 3], &[-3, -1]), Some(0..6)),
            (view(4, &[2, 3], &[-3, -1]), None),
            (view(7, &[4, 9], &[0, 0]), Some(7..8)),
            (view(7, &[4, 0], &[-9, 1]), Some(7..7)),
            (view(7, &[], &[]), Some(7..8)),
            (view(usize::MAX, &[], &[]), None),
            (view(0, &[usize::MAX, 2], &[isize::MAX, 1]), None),
        ] {
            assert_eq!(view.span(), span, "{view:?}");
        }
    }
}
