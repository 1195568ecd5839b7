//! Reductions of segments and by keys on device memory, with Rust types: slices or views of cudarc in, results on the device out.

use super::arrays::DeviceViews;
use super::input::{DeviceInput, DeviceMemory};
use super::keys::DeviceKeys;
use super::segments::{DeviceRuns, DeviceSegments};
use crate::reduction::array;
use crate::{
    Array, Compiled, Error, GroupResult, Keyed, NoParams, Numbered, Params, Ragged, Runs, View, With,
};
use reduce_ir::arith::Element;
use reduce_lanes::LanesRef;
use std::marker::PhantomData;

/// Results in device memory: [`DeviceSegments`], [`DeviceRuns`] or [`DeviceKeys`], with their Rust type `T`.
#[derive(Debug)]
pub struct DeviceResults<Results, T> {
    results: Results,
    types: PhantomData<fn() -> T>,
}

impl<Results, T> DeviceResults<Results, T> {
    fn of(results: Results) -> DeviceResults<Results, T> {
        DeviceResults { results, types: PhantomData }
    }

    /// Returns the results without Rust types: their stream, their address, and a call that a CUDA graph captures.
    pub fn untyped(&mut self) -> &mut Results {
        &mut self.results
    }
}

impl<R: GroupResult> DeviceResults<DeviceSegments, Array<R>> {
    /// Waits for the results and reads them.
    ///
    /// # Errors
    /// See [`DeviceSegments::read`]; a segment has no result, and `R` is no `Option`.
    pub fn read(&mut self) -> Result<Array<R>, Error> {
        let groups = self.results.read()?;
        array(self.results.operation(), groups)
    }
}

impl<R: GroupResult> DeviceResults<DeviceKeys, Array<R>> {
    /// Waits for the results and reads them.
    ///
    /// # Errors
    /// See [`DeviceKeys::read`]; a group has no result, and `R` is no `Option`.
    pub fn read(&mut self) -> Result<Array<R>, Error> {
        let groups = self.results.read()?;
        array(self.results.operation(), groups)
    }
}

impl<Key: Clone, R: GroupResult> DeviceResults<DeviceRuns, Runs<Key, R>>
where
    for<'a> &'a [Key]: TryFrom<LanesRef<'a>>,
{
    /// Waits for the results and reads them, with the key of each run.
    ///
    /// # Errors
    /// See [`DeviceRuns::read`]; a run has no result, and `R` is no `Option`.
    pub fn read(&mut self) -> Result<Runs<Key, R>, Error> {
        let runs = self.results.read()?;
        // The keys have the type of those that were given.
        let keys = <&[Key]>::try_from(runs.keys.borrow()).map(<[Key]>::to_vec).unwrap_or_default();
        Ok(Runs { keys, results: array(self.results.operation(), runs.groups)? })
    }
}

impl<In, Offset: Element, R: GroupResult, P: NoParams> Compiled<Ragged<In, Offset>, Array<R>, P> {
    /// Queues a reduction of segments of device memory, and returns at once. The results stay on the device. Inputs are slices of cudarc, or
    /// views of them. See [`Reducer::reduce_segments_device`](crate::Reducer::reduce_segments_device).
    ///
    /// # Errors
    /// See [`Reducer::reduce_segments_device`](crate::Reducer::reduce_segments_device).
    pub fn reduce_segments_device<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        offsets: &'a impl DeviceMemory<Offset>,
    ) -> Result<DeviceResults<DeviceSegments, Array<R>>, Error> {
        self.with(P::default()).reduce_segments_device(views, offsets)
    }

    /// As `reduce_segments_device`, into the memory of an earlier call: it neither allocates nor waits.
    ///
    /// # Errors
    /// See [`Reducer::reduce_segments_into`](crate::Reducer::reduce_segments_into).
    pub fn reduce_segments_device_into<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        offsets: &'a impl DeviceMemory<Offset>,
        into: &mut DeviceResults<DeviceSegments, Array<R>>,
    ) -> Result<(), Error> {
        self.with(P::default()).reduce_segments_device_into(views, offsets, into)
    }
}

impl<In, Offset: Element, R: GroupResult, P: Params> With<'_, Compiled<Ragged<In, Offset>, Array<R>, P>> {
    /// As [`Compiled::reduce_segments_device`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_segments_device`](crate::Reducer::reduce_segments_device).
    pub fn reduce_segments_device<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        offsets: &'a impl DeviceMemory<Offset>,
    ) -> Result<DeviceResults<DeviceSegments, Array<R>>, Error> {
        let (inputs, offsets) = (views.inputs(), DeviceInput::new(offsets));
        let reducer = self.reduction.reducer();
        reducer.reduce_segments_device(&borrowed(&inputs), &offsets, &self.params).map(DeviceResults::of)
    }

    /// As [`Compiled::reduce_segments_device_into`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_segments_into`](crate::Reducer::reduce_segments_into).
    pub fn reduce_segments_device_into<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        offsets: &'a impl DeviceMemory<Offset>,
        into: &mut DeviceResults<DeviceSegments, Array<R>>,
    ) -> Result<(), Error> {
        let (inputs, offsets) = (views.inputs(), DeviceInput::new(offsets));
        let reducer = self.reduction.reducer();
        reducer.reduce_segments_into(&borrowed(&inputs), &offsets, &self.params, &mut into.results)
    }
}

impl<In, Key: Element, R: GroupResult, P: NoParams> Compiled<Keyed<In, Key>, Array<R>, P> {
    /// Queues a reduction of runs of equal neighbouring keys in device memory, and returns at once. Results, keys and the number of runs
    /// stay on the device. See [`Reducer::reduce_runs_device`](crate::Reducer::reduce_runs_device).
    ///
    /// # Errors
    /// See [`Reducer::reduce_runs_device`](crate::Reducer::reduce_runs_device).
    pub fn reduce_runs_device<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        keys: &'a impl DeviceMemory<Key>,
    ) -> Result<DeviceResults<DeviceRuns, Runs<Key, R>>, Error> {
        self.with(P::default()).reduce_runs_device(views, keys)
    }

    /// As `reduce_runs_device`, into the memory of an earlier call: it neither allocates nor waits.
    ///
    /// # Errors
    /// See [`Reducer::reduce_runs_into`](crate::Reducer::reduce_runs_into).
    pub fn reduce_runs_device_into<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        keys: &'a impl DeviceMemory<Key>,
        into: &mut DeviceResults<DeviceRuns, Runs<Key, R>>,
    ) -> Result<(), Error> {
        self.with(P::default()).reduce_runs_device_into(views, keys, into)
    }
}

impl<In, Key: Element, R: GroupResult, P: Params> With<'_, Compiled<Keyed<In, Key>, Array<R>, P>> {
    /// As [`Compiled::reduce_runs_device`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_runs_device`](crate::Reducer::reduce_runs_device).
    pub fn reduce_runs_device<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        keys: &'a impl DeviceMemory<Key>,
    ) -> Result<DeviceResults<DeviceRuns, Runs<Key, R>>, Error> {
        let (inputs, keys) = (views.inputs(), DeviceInput::new(keys));
        let reducer = self.reduction.reducer();
        reducer.reduce_runs_device(&borrowed(&inputs), &keys, &self.params).map(DeviceResults::of)
    }

    /// As [`Compiled::reduce_runs_device_into`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_runs_into`](crate::Reducer::reduce_runs_into).
    pub fn reduce_runs_device_into<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        keys: &'a impl DeviceMemory<Key>,
        into: &mut DeviceResults<DeviceRuns, Runs<Key, R>>,
    ) -> Result<(), Error> {
        let (inputs, keys) = (views.inputs(), DeviceInput::new(keys));
        let reducer = self.reduction.reducer();
        reducer.reduce_runs_into(&borrowed(&inputs), &keys, &self.params, &mut into.results)
    }
}

impl<In, Key: Element, R: GroupResult, P: NoParams> Compiled<Numbered<In, Key>, Array<R>, P> {
    /// Queues a reduction of device memory by keys, and returns at once. The results stay on the device. See
    /// [`Reducer::reduce_keys_device`](crate::Reducer::reduce_keys_device).
    ///
    /// # Errors
    /// See [`Reducer::reduce_keys_device`](crate::Reducer::reduce_keys_device).
    pub fn reduce_keys_device<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        keys: &'a impl DeviceMemory<Key>,
    ) -> Result<DeviceResults<DeviceKeys, Array<R>>, Error> {
        self.with(P::default()).reduce_keys_device(views, keys)
    }

    /// As `reduce_keys_device`, into the memory of an earlier call: it neither allocates nor waits.
    ///
    /// # Errors
    /// See [`Reducer::reduce_keys_into`](crate::Reducer::reduce_keys_into).
    pub fn reduce_keys_device_into<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        keys: &'a impl DeviceMemory<Key>,
        into: &mut DeviceResults<DeviceKeys, Array<R>>,
    ) -> Result<(), Error> {
        self.with(P::default()).reduce_keys_device_into(views, keys, into)
    }
}

impl<In, Key: Element, R: GroupResult, P: Params> With<'_, Compiled<Numbered<In, Key>, Array<R>, P>> {
    /// As [`Compiled::reduce_keys_device`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_keys_device`](crate::Reducer::reduce_keys_device).
    pub fn reduce_keys_device<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        keys: &'a impl DeviceMemory<Key>,
    ) -> Result<DeviceResults<DeviceKeys, Array<R>>, Error> {
        let (inputs, keys) = (views.inputs(), DeviceInput::new(keys));
        let reducer = self.reduction.reducer();
        reducer.reduce_keys_device(&borrowed(&inputs), Some(&keys), &self.params).map(DeviceResults::of)
    }

    /// As [`Compiled::reduce_keys_device_into`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_keys_into`](crate::Reducer::reduce_keys_into).
    pub fn reduce_keys_device_into<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        keys: &'a impl DeviceMemory<Key>,
        into: &mut DeviceResults<DeviceKeys, Array<R>>,
    ) -> Result<(), Error> {
        let (inputs, keys) = (views.inputs(), DeviceInput::new(keys));
        let reducer = self.reduction.reducer();
        reducer.reduce_keys_into(&borrowed(&inputs), Some(&keys), &self.params, &mut into.results)
    }
}

fn borrowed<'a, 'i>(inputs: &'i [View<DeviceInput<'a>>]) -> Vec<View<&'i DeviceInput<'a>>> {
    inputs.iter().map(|input| input.with_data(&input.data)).collect()
}
