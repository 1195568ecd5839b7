//! Views of arrays of the crate `ndarray`, and results as such arrays. With the feature `ndarray`.

use super::View;
use crate::Array;
use ndarray::{ArrayBase, ArrayD, ArrayViewD, Axis, Data, Dimension, IxDyn, ShapeError};

/// The memory between the elements of an array belongs to others, so a view cannot span it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the elements of the array do not fill its memory; view its parent with `View {{ offset, lengths, steps, .. }}`, or copy \
     it with `as_standard_layout`"
)]
pub struct GapsError;

/// The elements of an array, without a copy. It may be transposed, reversed or broadcast.
///
/// ```
/// # #[cfg(feature = "ndarray")]
/// # fn main() -> Result<(), reduce_runtime::GapsError> {
/// use ndarray::array;
/// use reduce_runtime::View;
///
/// let matrix = array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let transposed = matrix.t();
/// let view = View::try_from(&transposed)?;
/// assert_eq!((view.lengths, view.steps), (vec![3, 2], vec![1, 3]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "ndarray"))]
/// # fn main() {}
/// ```
impl<'a, T, S: Data<Elem = T>, D: Dimension> TryFrom<&'a ArrayBase<S, D>> for View<&'a [T]> {
    type Error = GapsError;

    fn try_from(array: &'a ArrayBase<S, D>) -> Result<View<&'a [T]>, GapsError> {
        let (lengths, mut steps) = (array.shape().to_vec(), array.strides().to_vec());
        if array.is_empty() {
            steps.fill(0);
            return Ok(View { data: &[], offset: 0, lengths, steps });
        }
        let data = filled(array.view().into_dyn()).ok_or(GapsError)?;
        let back = |(&length, &step): (&usize, &isize)| (length - 1) * (-step).max(0) as usize;
        let offset = lengths.iter().zip(&steps).map(back).sum();
        Ok(View { data, offset, lengths, steps })
    }
}

/// Returns the memory of an array whose elements fill it; repeated elements count once.
fn filled<T>(mut array: ArrayViewD<'_, T>) -> Option<&[T]> {
    for axis in 0..array.ndim() {
        if array.strides()[axis] == 0 {
            array.collapse_axis(Axis(axis), 0);
        }
    }
    array.to_slice_memory_order()
}

/// The results, in the same order.
impl<T> TryFrom<Array<T>> for ArrayD<T> {
    type Error = ShapeError;

    fn try_from(array: Array<T>) -> Result<ArrayD<T>, ShapeError> {
        ArrayD::from_shape_vec(IxDyn(&array.shape), array.values)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::GapsError;
    use crate::{Array, View};
    use ndarray::{Array2, ArrayD, s};

    /// Checks that a view has the elements of the array, in its order.
    fn check<D: ndarray::Dimension>(array: ndarray::ArrayView<'_, i32, D>) {
        let view = View::try_from(&array).unwrap();
        assert!(view.span().unwrap().end <= view.data.len());
        for (at, value) in array.view().into_dyn().indexed_iter() {
            let steps = view.steps.iter().enumerate().map(|(axis, step)| at[axis] as isize * step);
            assert_eq!(view.data[view.offset.wrapping_add_signed(steps.sum())], *value);
        }
    }

    #[test]
    fn a_view_has_the_elements_of_its_array() {
        let matrix = Array2::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as i32);
        check(matrix.view());
        check(matrix.t());
        check(matrix.slice(s![..;-1, ..]));
        check(matrix.slice(s![..;-1, ..;-1]));
        check(matrix.slice(s![1..2, ..]));
        check(matrix.row(1).broadcast((5, 4)).unwrap());
        check(matrix.slice(s![0..0, ..]));
        check(ndarray::arr0(7).view());
        for gaps in [matrix.slice(s![.., ..;2]), matrix.slice(s![.., 1..])] {
            assert_eq!(View::try_from(&gaps), Err(GapsError));
        }
    }

    #[test]
    fn results_become_an_array() {
        let array = ArrayD::try_from(Array { shape: vec![2, 2], values: vec![1, 2, 3, 4] }).unwrap();
        assert_eq!(array[[1, 0]], 3);
        assert!(ArrayD::try_from(Array { shape: vec![3], values: vec![1] }).is_err());
    }
}
