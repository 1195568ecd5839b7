//! Reductions by runs of equal keys, with Rust types: views and keys in, keys and results out.

use super::arrays::{array, size};
use super::{Array, Compiled, GroupResult, NoParams, Params, Reduction, Views, With};
use crate::{Error, View};
use reduce_ir::Value;
use reduce_lanes::LanesRef;
use std::marker::PhantomData;

/// The inputs `In` of a reduction with `by`, with keys of the type `Key`.
pub struct Keyed<In, Key>(PhantomData<fn() -> (In, Key)>);

/// The results of runs of equal keys.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Runs<Key, R> {
    /// The key of each run.
    pub keys: Vec<Key>,
    /// The results. The runs are the slowest axis.
    pub results: Array<R>,
}

impl<In, Key: Clone + 'static, R: GroupResult, P: Params> Reduction<Keyed<In, Key>, Array<R>, P>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
    for<'a> &'a [Key]: TryFrom<LanesRef<'a>>,
{
    /// Reduces each run of equal neighbouring keys on the default device. Inputs are slices, or
    /// views with `axes`; several are a tuple. See [`Reducer::reduce_runs`](crate::Reducer::reduce_runs).
    ///
    /// # Errors
    /// See [`Reducer::reduce_runs`](crate::Reducer::reduce_runs).
    pub fn reduce_runs<V: Views<In>>(&self, views: V, keys: &[Key]) -> Result<Runs<Key, R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_runs(views, keys)
    }
}

impl<In, Key: Clone + 'static, R: GroupResult, P: Params> Compiled<Keyed<In, Key>, Array<R>, P>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
    for<'a> &'a [Key]: TryFrom<LanesRef<'a>>,
{
    /// As [`Reduction::reduce_runs`], on the device. For a GPU, the data are copied.
    ///
    /// # Errors
    /// See [`Reducer::reduce_runs`](crate::Reducer::reduce_runs).
    pub fn reduce_runs<V: Views<In>>(&self, views: V, keys: &[Key]) -> Result<Runs<Key, R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_runs(views, keys)
    }
}

impl<In, Key: Clone + 'static, R: GroupResult, P: Params> With<'_, Reduction<Keyed<In, Key>, Array<R>, P>>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
    for<'a> &'a [Key]: TryFrom<LanesRef<'a>>,
{
    /// As [`Reduction::reduce_runs`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_runs`](crate::Reducer::reduce_runs).
    pub fn reduce_runs<V: Views<In>>(&self, views: V, keys: &[Key]) -> Result<Runs<Key, R>, Error> {
        let views = views.views();
        self.run_on_device(size(&views), |compiled| reduce(compiled, &views, keys, &self.params))
    }
}

impl<In, Key: Clone + 'static, R: GroupResult, P: Params> With<'_, Compiled<Keyed<In, Key>, Array<R>, P>>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
    for<'a> &'a [Key]: TryFrom<LanesRef<'a>>,
{
    /// As [`Compiled::reduce_runs`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_runs`](crate::Reducer::reduce_runs).
    pub fn reduce_runs<V: Views<In>>(&self, views: V, keys: &[Key]) -> Result<Runs<Key, R>, Error> {
        reduce(self.reduction, &views.views(), keys, &self.params)
    }
}

fn reduce<In, Key: Clone, R: GroupResult, P: Params>(
    compiled: &Compiled<Keyed<In, Key>, Array<R>, P>,
    views: &[View<LanesRef<'_>>],
    keys: &[Key],
    params: &[Value],
) -> Result<Runs<Key, R>, Error>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
    for<'a> &'a [Key]: TryFrom<LanesRef<'a>>,
{
    let reducer = compiled.reducer();
    let runs = reducer.reduce_runs(views, keys.into(), params)?;
    // The keys have the type of those that were given.
    let keys = <&[Key]>::try_from(runs.keys.borrow()).map(<[Key]>::to_vec).unwrap_or_default();
    Ok(Runs { keys, results: array(reducer.operation(), runs.groups)? })
}
