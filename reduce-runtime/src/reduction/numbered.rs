//! Reductions by keys that number groups, with Rust types: views and keys in, results out.

use super::arrays::{array, size};
use super::{Array, Compiled, GroupResult, NoParams, Params, Reduction, Views, With};
use crate::{Error, View};
use reduce_ir::Value;
use reduce_lanes::LanesRef;
use std::marker::PhantomData;

/// The inputs `In` of a reduction with `by` and a number of groups, with keys of the type `Key`.
pub struct Numbered<In, Key>(PhantomData<fn() -> (In, Key)>);

impl<In, Key: 'static, R: GroupResult, P: Params> Reduction<Numbered<In, Key>, Array<R>, P>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
{
    /// Reduces the elements of each group on the default device. Inputs are slices; several are a tuple. There is one key for
    /// each element. See [`Reducer::reduce_keys`](crate::Reducer::reduce_keys).
    ///
    /// # Errors
    /// See [`Reducer::reduce_keys`](crate::Reducer::reduce_keys).
    pub fn reduce_keys<V: Views<In>>(&self, views: V, keys: &[Key]) -> Result<Array<R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_keys(views, keys)
    }
}

impl<In, Key: 'static, R: GroupResult, P: Params> Compiled<Numbered<In, Key>, Array<R>, P>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
{
    /// As [`Reduction::reduce_keys`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_keys`](crate::Reducer::reduce_keys).
    pub fn reduce_keys<V: Views<In>>(&self, views: V, keys: &[Key]) -> Result<Array<R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_keys(views, keys)
    }
}

impl<In, Key: 'static, R: GroupResult, P: Params> With<'_, Reduction<Numbered<In, Key>, Array<R>, P>>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
{
    /// As [`Reduction::reduce_keys`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_keys`](crate::Reducer::reduce_keys).
    pub fn reduce_keys<V: Views<In>>(&self, views: V, keys: &[Key]) -> Result<Array<R>, Error> {
        let views = views.views();
        self.run_on_device(size(&views), |compiled| reduce(compiled, &views, keys, &self.params))
    }
}

impl<In, Key: 'static, R: GroupResult, P: Params> With<'_, Compiled<Numbered<In, Key>, Array<R>, P>>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
{
    /// As [`Compiled::reduce_keys`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_keys`](crate::Reducer::reduce_keys).
    pub fn reduce_keys<V: Views<In>>(&self, views: V, keys: &[Key]) -> Result<Array<R>, Error> {
        reduce(self.reduction, &views.views(), keys, &self.params)
    }
}

fn reduce<In, Key, R: GroupResult, P: Params>(
    compiled: &Compiled<Numbered<In, Key>, Array<R>, P>,
    views: &[View<LanesRef<'_>>],
    keys: &[Key],
    params: &[Value],
) -> Result<Array<R>, Error>
where
    for<'a> LanesRef<'a>: From<&'a [Key]>,
{
    let reducer = compiled.reducer();
    let groups = reducer.reduce_keys(views, View::new(keys.into(), [keys.len()]), params)?;
    array(reducer.operation(), groups)
}
