//! Results of groups written to memory of the caller, in any layout.

use super::{Compiled, GroupResult, NoParams, Params, Reduction, Views, With};
use crate::{Array, Error, View, ViewError};

impl<In, R: GroupResult, P: Params> Reduction<In, Array<R>, P> {
    /// As [`Reduction::reduce`], and writes the results to the elements of a view.
    ///
    /// ```
    /// # use reduce_runtime::{Array, Error, Reduction, View};
    /// # fn transposed(sums: &Reduction<f32, Array<f32>>, images: &[f32]) -> Result<Vec<f32>, Error> {
    /// // Sums of shape [images, channels], written as [channels, images].
    /// let mut out = vec![0.0; 8 * 3];
    /// let into = View { steps: vec![1, 8], ..View::new(&mut out[..], [8, 3]) };
    /// sums.reduce_into(View::new(images, [8, 64, 64, 3]), into)?;
    /// # Ok(out)
    /// # }
    /// ```
    ///
    /// # Errors
    /// The view has another shape than the results, lies outside its data, or has one place for two results; an error of
    /// [`Reducer::reduce_groups`](crate::Reducer::reduce_groups). Nothing is written then.
    pub fn reduce_into<V: Views<In>>(&self, views: V, into: View<&mut [R]>) -> Result<(), Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_into(views, into)
    }
}

impl<In, R: GroupResult, P: Params> Compiled<In, Array<R>, P> {
    /// As [`Reduction::reduce_into`].
    ///
    /// # Errors
    /// See [`Reduction::reduce_into`].
    pub fn reduce_into<V: Views<In>>(&self, views: V, into: View<&mut [R]>) -> Result<(), Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_into(views, into)
    }
}

impl<In, R: GroupResult, P: Params> With<'_, Reduction<In, Array<R>, P>> {
    /// As [`Reduction::reduce_into`].
    ///
    /// # Errors
    /// See [`Reduction::reduce_into`].
    pub fn reduce_into<V: Views<In>>(&self, views: V, into: View<&mut [R]>) -> Result<(), Error> {
        write(self.reduce(views)?, into)
    }
}

impl<In, R: GroupResult, P: Params> With<'_, Compiled<In, Array<R>, P>> {
    /// As [`Reduction::reduce_into`].
    ///
    /// # Errors
    /// See [`Reduction::reduce_into`].
    pub fn reduce_into<V: Views<In>>(&self, views: V, into: View<&mut [R]>) -> Result<(), Error> {
        write(self.reduce(views)?, into)
    }
}

/// Writes results to the elements of a view.
pub(super) fn write<R>(array: Array<R>, into: View<&mut [R]>) -> Result<(), Error> {
    if !fits(&array.shape, &into) {
        let View { data, lengths: found, steps, .. } = into;
        let (expected, len) = (array.shape, data.len());
        return Err(ViewError::ResultPlaces { expected, found, steps, len }.into());
    }
    for (at, result) in array.values.into_iter().enumerate() {
        into.data[place(&into, at)] = result;
    }
    Ok(())
}

/// Returns whether a view has that shape, inside its data, and a place of its own for each element.
fn fits<R>(shape: &[usize], view: &View<&mut [R]>) -> bool {
    let inside = || view.span().is_some_and(|span| span.end <= view.data.len());
    view.lengths == shape && view.steps.len() == shape.len() && inside() && has_distinct_places(view)
}

/// Returns whether each step leads beyond all elements that smaller steps reach.
fn has_distinct_places<D>(view: &View<D>) -> bool {
    let axes = view.steps.iter().map(|step| step.unsigned_abs()).zip(view.lengths.iter().copied());
    let mut axes: Vec<_> = axes.filter(|&(_, length)| length > 1).collect();
    axes.sort_unstable();
    let mut reached = 0;
    view.lengths.contains(&0)
        || axes.into_iter().all(|(step, length)| {
            let beyond = step > reached;
            reached += step * (length - 1);
            beyond
        })
}

/// Returns the position of an element, counted in row-major order.
fn place<D>(view: &View<D>, mut at: usize) -> usize {
    let mut place = view.offset;
    for (&length, &step) in view.lengths.iter().zip(&view.steps).rev() {
        place = place.wrapping_add_signed((at % length) as isize * step);
        at /= length;
    }
    place
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::write;
    use crate::{Array, View};

    #[test]
    fn results_are_written_to_any_layout() {
        let array = || Array { shape: vec![2, 3], values: vec![1, 2, 3, 4, 5, 6] };
        for (offset, steps, expected) in [
            (0, [3, 1], [1, 2, 3, 4, 5, 6, 0]),
            (0, [1, 2], [1, 4, 2, 5, 3, 6, 0]),
            (6, [-3, -1], [0, 6, 5, 4, 3, 2, 1]),
        ] {
            let mut data = [0; 7];
            write(array(), View { offset, steps: steps.to_vec(), ..View::new(&mut data[..], [2, 3]) })
                .unwrap();
            assert_eq!(data, expected, "{steps:?}");
        }
    }

    #[test]
    fn views_that_do_not_fit_are_refused() {
        for (offset, lengths, steps) in [
            (0, vec![3, 2], vec![2, 1]),
            (2, vec![2, 3], vec![3, 1]),
            (0, vec![2, 3], vec![-3, 1]),
            (0, vec![2, 3], vec![0, 1]),
            (0, vec![2, 3], vec![1, 1]),
            (0, vec![2, 3], vec![1]),
            (0, vec![6], vec![1]),
        ] {
            let mut data = [0; 7];
            let array = Array { shape: vec![2, 3], values: vec![9; 6] };
            let view = View { data: &mut data[..], offset, lengths, steps };
            let text = write(array, view).unwrap_err().to_string();
            assert!(text.contains("place of its own"), "{text}");
            assert_eq!(data, [0; 7]);
        }
    }
}
