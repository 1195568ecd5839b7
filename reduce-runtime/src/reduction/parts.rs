//! Partials of reductions with Rust types.

use super::arrays::array;
use super::{
    Array, Compiled, GroupResult, NoParams, Output, Params, Reduction, Returned, Slices, Views, With,
};
use crate::{Device, Error, Partials, Reducer, Span};
use reduce_ir::Value;

impl<In, Out: Returned, P: Params> Reduction<In, Out, P> {
    /// Returns the number of elements of a chunk: where data can be cut into parts. See
    /// [`Reducer::chunk_len`](crate::Reducer::chunk_len).
    ///
    /// # Errors
    /// See [`Reducer::chunk_len`](crate::Reducer::chunk_len).
    pub fn chunk_len(&self, total: u64) -> Result<u64, Error> {
        self.compiled(&Device::host())?.reducer().chunk_len(total)
    }
}

impl<In, Out: Output, P: Params> Reduction<In, Out, P> {
    /// Reduces a part of the data on all cores of the host to partials. See [`Reducer::partials`](crate::Reducer::partials).
    ///
    /// # Errors
    /// See [`Reducer::partials`](crate::Reducer::partials).
    pub fn partials<S: Slices<In>>(&self, slices: S, span: Span) -> Result<Partials, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).partials(slices, span)
    }

    /// Merges parts in any order, to the bits of the whole. The parts hold the params. See
    /// [`Reducer::merge`](crate::Reducer::merge).
    ///
    /// # Errors
    /// See [`Reducer::merge`](crate::Reducer::merge).
    pub fn merge(&self, parts: &[Partials]) -> Result<Out, Error> {
        self.compiled(&Device::host())?.merge(parts)
    }
}

impl<In, Out: Output, P: Params> Reduction<In, Out, P> {
    /// Reduces slices on several devices, each of which gets a part: `SUM.reduce_over(&Device::cuda_all()?, &x)?`. The bits are those of
    /// one device. See [`Reducer::reduce_over`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_over`].
    pub fn reduce_over<S: Slices<In>>(&self, devices: &[Device], slices: S) -> Result<Out, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_over(devices, slices)
    }
}

impl<In, Out: Output, P: Params> With<'_, Reduction<In, Out, P>> {
    /// As [`Reduction::reduce_over`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_over`].
    pub fn reduce_over<S: Slices<In>>(&self, devices: &[Device], slices: S) -> Result<Out, Error> {
        let compiled = devices.iter().map(|device| self.reduction.compiled(device));
        let compiled = compiled.collect::<Result<Vec<_>, _>>()?;
        let reducers: Vec<_> = compiled.iter().map(Compiled::reducer).collect();
        let outcome = Reducer::reduce_over(&reducers, &slices.views(), &self.params)?;
        self.reduction.compiled(&Device::host())?.output(&outcome.values)
    }
}

impl<In, Out: Output, P: Params> Compiled<In, Out, P> {
    /// As [`Reduction::partials`], on the device of this reduction.
    ///
    /// # Errors
    /// See [`Reducer::partials`](crate::Reducer::partials).
    pub fn partials<S: Slices<In>>(&self, slices: S, span: Span) -> Result<Partials, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).partials(slices, span)
    }

    /// Reduces a part of the data in device memory to partials. See [`Reducer::partials_device`].
    ///
    /// # Errors
    /// See [`Reducer::partials_device`].
    #[cfg(feature = "cuda")]
    pub fn partials_device<'a, S: crate::DeviceSlices<'a, In>>(
        &self,
        slices: S,
        span: Span,
    ) -> Result<Partials, Error>
    where
        P: NoParams,
    {
        self.reducer().partials_device(&slices.inputs(None), &[], span)
    }

    /// As [`Reduction::merge`].
    ///
    /// # Errors
    /// See [`Reducer::merge`](crate::Reducer::merge).
    pub fn merge(&self, parts: &[Partials]) -> Result<Out, Error> {
        self.output(&self.reducer().merge(parts)?.values)
    }

    fn part<S: Slices<In>>(&self, slices: &S, params: &[Value], span: Span) -> Result<Partials, Error> {
        self.reducer().partials(&slices.views(), params, span)
    }
}

impl<In, Out: Output, P: Params> With<'_, Reduction<In, Out, P>> {
    /// As [`Reduction::partials`].
    ///
    /// # Errors
    /// See [`Reducer::partials`](crate::Reducer::partials).
    pub fn partials<S: Slices<In>>(&self, slices: S, span: Span) -> Result<Partials, Error> {
        self.reduction.compiled(&Device::host())?.part(&slices, &self.params, span)
    }
}

impl<In, Out: Output, P: Params> With<'_, Compiled<In, Out, P>> {
    /// As [`Compiled::partials`].
    ///
    /// # Errors
    /// See [`Reducer::partials`](crate::Reducer::partials).
    pub fn partials<S: Slices<In>>(&self, slices: S, span: Span) -> Result<Partials, Error> {
        self.reduction.part(&slices, &self.params, span)
    }
}

impl<In, R: GroupResult, P: Params> Reduction<In, Array<R>, P> {
    /// Reduces a part of each group on all cores of the host to partials. See
    /// [`Reducer::partials_groups`](crate::Reducer::partials_groups).
    ///
    /// # Errors
    /// See [`Reducer::partials_groups`](crate::Reducer::partials_groups).
    pub fn partials<V: Views<In>>(&self, views: V, span: Span) -> Result<Partials, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).partials(views, span)
    }

    /// Merges parts in any order, to the bits of the whole. The parts hold the params. See
    /// [`Reducer::merge_groups`](crate::Reducer::merge_groups).
    ///
    /// # Errors
    /// See [`Reducer::merge_groups`](crate::Reducer::merge_groups).
    pub fn merge(&self, parts: &[Partials]) -> Result<Array<R>, Error> {
        self.compiled(&Device::host())?.merge(parts)
    }
}

impl<In, R: GroupResult, P: Params> Compiled<In, Array<R>, P> {
    /// As [`Reduction::partials`]. It runs on the host.
    ///
    /// # Errors
    /// See [`Reducer::partials_groups`](crate::Reducer::partials_groups).
    pub fn partials<V: Views<In>>(&self, views: V, span: Span) -> Result<Partials, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).partials(views, span)
    }

    /// As [`Reduction::merge`].
    ///
    /// # Errors
    /// See [`Reducer::merge_groups`](crate::Reducer::merge_groups).
    pub fn merge(&self, parts: &[Partials]) -> Result<Array<R>, Error> {
        array(self.reducer().operation(), self.reducer().merge_groups(parts)?)
    }

    fn part<V: Views<In>>(&self, views: &V, params: &[Value], span: Span) -> Result<Partials, Error> {
        self.reducer().partials_groups(&views.views(), params, span)
    }
}

impl<In, R: GroupResult, P: Params> With<'_, Reduction<In, Array<R>, P>> {
    /// As [`Reduction::partials`].
    ///
    /// # Errors
    /// See [`Reducer::partials_groups`](crate::Reducer::partials_groups).
    pub fn partials<V: Views<In>>(&self, views: V, span: Span) -> Result<Partials, Error> {
        self.reduction.compiled(&Device::host())?.part(&views, &self.params, span)
    }
}

impl<In, R: GroupResult, P: Params> With<'_, Compiled<In, Array<R>, P>> {
    /// As [`Compiled::partials`].
    ///
    /// # Errors
    /// See [`Reducer::partials_groups`](crate::Reducer::partials_groups).
    pub fn partials<V: Views<In>>(&self, views: V, span: Span) -> Result<Partials, Error> {
        self.reduction.part(&views, &self.params, span)
    }
}
