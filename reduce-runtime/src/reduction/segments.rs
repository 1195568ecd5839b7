//! Reductions with `segments`, with Rust types: views and offsets in, an array out.

use super::arrays::{array, size};
use super::into::write;
use super::{Array, Compiled, GroupResult, NoParams, Params, Reduction, Views, With};
use crate::{Error, View};
use reduce_ir::Value;
use reduce_lanes::LanesRef;
use std::marker::PhantomData;

/// The inputs `In` of a reduction with `segments`, with offsets of the type `Offset`.
pub struct Ragged<In, Offset>(PhantomData<fn() -> (In, Offset)>);

impl<In, Offset, R: GroupResult, P: Params> Reduction<Ragged<In, Offset>, Array<R>, P>
where
    for<'a> LanesRef<'a>: From<&'a [Offset]>,
{
    /// Reduces the elements between neighbouring offsets on the default device. Inputs are slices, or views with `axes`; several are a tuple. See [`Reducer::reduce_segments`](crate::Reducer::reduce_segments).
    ///
    /// # Errors
    /// See [`Reducer::reduce_segments`](crate::Reducer::reduce_segments).
    pub fn reduce_segments<V: Views<In>>(&self, views: V, offsets: &[Offset]) -> Result<Array<R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_segments(views, offsets)
    }

    /// As [`Reduction::reduce_segments`], and writes the results to the elements of a view.
    ///
    /// # Errors
    /// As [`Reduction::reduce_into`] and [`Reduction::reduce_segments`].
    pub fn reduce_segments_into<V: Views<In>>(
        &self,
        views: V,
        offsets: &[Offset],
        into: View<&mut [R]>,
    ) -> Result<(), Error>
    where
        P: NoParams,
    {
        write(self.reduce_segments(views, offsets)?, into)
    }
}

impl<In, Offset, R: GroupResult, P: Params> Compiled<Ragged<In, Offset>, Array<R>, P>
where
    for<'a> LanesRef<'a>: From<&'a [Offset]>,
{
    /// As [`Reduction::reduce_segments`], on the device. For a GPU, the data are copied.
    ///
    /// # Errors
    /// See [`Reducer::reduce_segments`](crate::Reducer::reduce_segments).
    pub fn reduce_segments<V: Views<In>>(&self, views: V, offsets: &[Offset]) -> Result<Array<R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_segments(views, offsets)
    }
}

impl<In, Offset, R: GroupResult, P: Params> With<'_, Reduction<Ragged<In, Offset>, Array<R>, P>>
where
    for<'a> LanesRef<'a>: From<&'a [Offset]>,
{
    /// As [`Reduction::reduce_segments`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_segments`](crate::Reducer::reduce_segments).
    pub fn reduce_segments<V: Views<In>>(&self, views: V, offsets: &[Offset]) -> Result<Array<R>, Error> {
        let views = views.views();
        self.run_on_device(size(&views), |compiled| reduce(compiled, &views, offsets, &self.params))
    }
}

impl<In, Offset, R: GroupResult, P: Params> With<'_, Compiled<Ragged<In, Offset>, Array<R>, P>>
where
    for<'a> LanesRef<'a>: From<&'a [Offset]>,
{
    /// As [`Compiled::reduce_segments`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_segments`](crate::Reducer::reduce_segments).
    pub fn reduce_segments<V: Views<In>>(&self, views: V, offsets: &[Offset]) -> Result<Array<R>, Error> {
        reduce(self.reduction, &views.views(), offsets, &self.params)
    }
}

fn reduce<'o, In, Offset, R: GroupResult, P: Params>(
    compiled: &Compiled<Ragged<In, Offset>, Array<R>, P>,
    views: &[View<LanesRef<'_>>],
    offsets: &'o [Offset],
    params: &[Value],
) -> Result<Array<R>, Error>
where
    LanesRef<'o>: From<&'o [Offset]>,
{
    let reducer = compiled.reducer();
    array(reducer.operation(), reducer.reduce_segments(views, offsets.into(), params)?)
}
