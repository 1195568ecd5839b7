//! Elements that arrive one after the other, for reductions with Rust types.

use super::{Compiled, NoParams, Output, Params, Reduction, Slices, With};
use crate::default_device::chosen;
use crate::stream::Chunks;
use crate::{Device, Error};
use reduce_ir::Value;
use reduce_ir::arith::Element;
use std::io::Read;

impl<In, Out: Output, P: Params> Reduction<In, Out, P> {
    /// Reduces the elements that a reader gives: a file, a pipe or a socket with more elements than memory holds. `total` is their number;
    /// `None` reads to the end. The bits are those of [`Reduction::reduce`]. See
    /// [`Reducer::reduce_readers`](crate::Reducer::reduce_readers), which also takes several inputs.
    ///
    /// It runs on the host, or on the device that [`Reduction::with_device`] or `REDUCEGEN_DEVICE` names.
    ///
    /// # Errors
    /// See [`Reducer::reduce_readers`](crate::Reducer::reduce_readers).
    pub fn reduce_reader(&self, reader: impl Read, total: Option<u64>) -> Result<Out, Error>
    where
        In: Element,
        P: NoParams,
    {
        self.with(P::default()).reduce_reader(reader, total)
    }

    /// As [`Reduction::reduce_reader`], for an iterator of slices or vectors of any lengths.
    ///
    /// # Errors
    /// See [`Reducer::reduce_readers`](crate::Reducer::reduce_readers).
    pub fn reduce_chunks<C>(
        &self,
        chunks: impl IntoIterator<Item = C>,
        total: Option<u64>,
    ) -> Result<Out, Error>
    where
        for<'a> &'a C: Slices<In>,
        P: NoParams,
    {
        self.with(P::default()).reduce_chunks(chunks, total)
    }
}

impl<In, Out: Output, P: Params> With<'_, Reduction<In, Out, P>> {
    /// As [`Reduction::reduce_reader`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_readers`](crate::Reducer::reduce_readers).
    pub fn reduce_reader(&self, reader: impl Read, total: Option<u64>) -> Result<Out, Error>
    where
        In: Element,
    {
        self.compiled_for_streams()?.of_reader(reader, total, &self.params)
    }

    /// As [`Reduction::reduce_chunks`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_readers`](crate::Reducer::reduce_readers).
    pub fn reduce_chunks<C>(
        &self,
        chunks: impl IntoIterator<Item = C>,
        total: Option<u64>,
    ) -> Result<Out, Error>
    where
        for<'a> &'a C: Slices<In>,
    {
        self.compiled_for_streams()?.of_chunks(chunks, total, &self.params)
    }

    /// Returns the reduction compiled for its device, or for the host, which needs no copy.
    fn compiled_for_streams(&self) -> Result<Compiled<In, Out, P>, Error> {
        let device = self.device.clone().map_or_else(chosen, |device| Ok(Some(device)))?;
        self.reduction.compiled(&device.unwrap_or(Device::host()))
    }
}

impl<In, Out: Output, P: Params> With<'_, Compiled<In, Out, P>> {
    /// As [`Reduction::reduce_reader`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_readers`](crate::Reducer::reduce_readers).
    pub fn reduce_reader(&self, reader: impl Read, total: Option<u64>) -> Result<Out, Error>
    where
        In: Element,
    {
        self.reduction.of_reader(reader, total, &self.params)
    }

    /// As [`Reduction::reduce_chunks`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_readers`](crate::Reducer::reduce_readers).
    pub fn reduce_chunks<C>(
        &self,
        chunks: impl IntoIterator<Item = C>,
        total: Option<u64>,
    ) -> Result<Out, Error>
    where
        for<'a> &'a C: Slices<In>,
    {
        self.reduction.of_chunks(chunks, total, &self.params)
    }
}

impl<In, Out: Output, P: Params> Compiled<In, Out, P> {
    fn of_reader(&self, reader: impl Read, total: Option<u64>, params: &[Value]) -> Result<Out, Error> {
        self.output(&self.reducer().reduce_readers(vec![Box::new(reader)], total, params)?.values)
    }

    fn of_chunks<C>(
        &self,
        chunks: impl IntoIterator<Item = C>,
        total: Option<u64>,
        params: &[Value],
    ) -> Result<Out, Error>
    where
        for<'a> &'a C: Slices<In>,
    {
        let mut chunks = Chunks::new(self.reducer().operation(), chunks.into_iter());
        self.output(&self.reducer().reduce_incoming(&mut chunks, total, params)?.values)
    }
}
