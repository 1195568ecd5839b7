//! Reductions with `axes`, with Rust types: views in, an array out.

use super::{Compiled, NoParams, Output, Params, Reduction, Returned, With};
use crate::{Device, Error, Groups, View};
use half::{bf16, f16};
use reduce_ir::Value;
use reduce_ir::operation::Operation;
use reduce_lanes::LanesRef;
use std::ops::Index;

/// The results of a reduction with `axes`, in row-major order: the last axis is the fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Array<T> {
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// The results.
    pub values: Vec<T>,
}

impl<T> Array<T> {
    /// Returns the result at coordinates; `None` if there is none.
    #[must_use]
    pub fn get(&self, at: &[usize]) -> Option<&T> {
        let axes = self.shape.iter().zip(at);
        let inside = at.len() == self.shape.len() && axes.clone().all(|(length, at)| at < length);
        let place = axes.fold(0, |place, (length, at)| place * length + at);
        self.values.get(place).filter(|_| inside)
    }
}

/// Returns the result at coordinates, and panics if there is none.
impl<T, const RANK: usize> Index<[usize; RANK]> for Array<T> {
    type Output = T;

    #[expect(clippy::panic, reason = "as for every index")]
    fn index(&self, at: [usize; RANK]) -> &T {
        self.get(&at).unwrap_or_else(|| panic!("{at:?} is outside {:?}", self.shape))
    }
}

impl<T: GroupResult> Returned for Array<T> {}

/// The result of one group: an [`Output`], or an `Option` of one if a group may have no result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no result of a group",
    note = "the result of a group is a scalar, a struct of scalars, or an `Option` of one if the operation has no identity"
)]
pub trait GroupResult: Sized + 'static {
    /// Makes the results of all groups; `None` if they have other types, or a group has no result.
    #[doc(hidden)]
    fn all(groups: &Groups) -> Option<Vec<Self>>;
}

impl<T: Output> GroupResult for T {
    fn all(groups: &Groups) -> Option<Vec<T>> {
        let complete = groups.present.as_ref().is_none_or(|present| !present.contains(&false));
        if complete { T::all(&groups.fields) } else { None }
    }
}

impl<T: Output> GroupResult for Option<T> {
    fn all(groups: &Groups) -> Option<Vec<Option<T>>> {
        let all = T::all(&groups.fields)?;
        Some(match &groups.present {
            None => all.into_iter().map(Some).collect(),
            Some(present) => {
                all.into_iter().zip(present).map(|(one, &present)| present.then_some(one)).collect()
            }
        })
    }
}

/// Views for the inputs `In`: a [`View`] of a reference to a slice, or to a value that converts to one, such as a `Vec`. A reference
/// alone is a view of one axis. Up to sixteen inputs are a tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no view of elements for the inputs `{In}`",
    note = "give `View::new(&x, [rows, columns])` of a slice of exactly that type; a tuple of views for several inputs"
)]
pub trait Views<In> {
    #[doc(hidden)]
    fn views(&self) -> Vec<View<LanesRef<'_>>>;
}

macro_rules! scalars {
    ($($ty:ty)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<S: AsRef<[$ty]> + ?Sized> Views<$ty> for View<&S> {
                fn views(&self) -> Vec<View<LanesRef<'_>>> {
                    vec![self.with_data(LanesRef::from(self.data.as_ref()))]
                }
            }

            #[diagnostic::do_not_recommend]
            impl<S: AsRef<[$ty]> + ?Sized> Views<$ty> for &S {
                fn views(&self) -> Vec<View<LanesRef<'_>>> {
                    let elements = self.as_ref();
                    vec![View::new(LanesRef::from(elements), [elements.len()])]
                }
            }

            #[diagnostic::do_not_recommend]
            impl<S: AsRef<[[$ty; K]]> + ?Sized, const K: usize> Views<[$ty; K]> for View<&S> {
                fn views(&self) -> Vec<View<LanesRef<'_>>> {
                    let data = LanesRef::from(self.data.as_ref().as_flattened());
                    self.elements_of_arrays(K).map(|view| view.with_data(data)).collect()
                }
            }

            #[diagnostic::do_not_recommend]
            impl<S: AsRef<[[$ty; K]]> + ?Sized, const K: usize> Views<[$ty; K]> for &S {
                fn views(&self) -> Vec<View<LanesRef<'_>>> {
                    let arrays = self.as_ref();
                    let data = LanesRef::from(arrays.as_flattened());
                    let all = View::new((), [arrays.len()]);
                    all.elements_of_arrays(K).map(|view| view.with_data(data)).collect()
                }
            }
        )*
    };
}

scalars!(f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool);

/// Implements the trait for a tuple of these elements, and for each shorter tuple without its first elements, down to two.
macro_rules! tuples {
    ($element:ident $view:ident) => {};
    ($first:ident $first_view:ident, $($element:ident $view:ident),+) => {
        tuple!($first $first_view, $($element $view),+);
        tuples!($($element $view),+);
    };
}

macro_rules! tuple {
    ($($element:ident $view:ident),+) => {
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<$($element, $view: Views<$element>),+> Views<($($element,)+)> for ($($view,)+) {
            #[allow(non_snake_case, reason = "a view has the name of its type")]
            fn views(&self) -> Vec<View<LanesRef<'_>>> {
                let ($($view,)+) = self;
                [$($view.views()),+].into_iter().flatten().collect()
            }
        }
    };
}

tuples!(
    A VA, B VB, C VC, D VD, E VE, F VF, G VG, H VH, I VI, J VJ, K VK, L VL, M VM, N VN, O VO, P VP
);

impl<In, R: GroupResult, P: Params> Reduction<In, Array<R>, P> {
    /// Reduces each group of views on the default device: see [`Device::from_env`](crate::Device::from_env). The bits are the same on every device. Several inputs are a tuple.
    /// See [`Reducer::reduce_groups`](crate::Reducer::reduce_groups).
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups`](crate::Reducer::reduce_groups).
    pub fn reduce<V: Views<In>>(&self, views: V) -> Result<Array<R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce(views)
    }

    /// As `reduce`, on a device: `ROWS.reduce_on(&Device::host(), &x)?`.
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups`](crate::Reducer::reduce_groups).
    pub fn reduce_on<V: Views<In>>(&self, device: &Device, views: V) -> Result<Array<R>, Error>
    where
        P: NoParams,
    {
        self.with_device(device).reduce(views)
    }
}

impl<In, R: GroupResult, P: Params> Compiled<In, Array<R>, P> {
    /// Reduces each group of views in host memory. For a GPU, they are copied.
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups`](crate::Reducer::reduce_groups).
    pub fn reduce<V: Views<In>>(&self, views: V) -> Result<Array<R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce(views)
    }

    fn run(&self, views: &[View<LanesRef<'_>>], params: &[Value]) -> Result<Array<R>, Error> {
        array(self.reducer().operation(), self.reducer().reduce_groups(views, params)?)
    }
}

/// Returns the elements of the largest view, and the bytes of all.
pub(super) fn size(views: &[View<LanesRef<'_>>]) -> [usize; 2] {
    let elements =
        |view: &View<LanesRef<'_>>| view.lengths.iter().fold(1usize, |all, &it| all.saturating_mul(it));
    let bytes = views.iter().map(|view| elements(view).saturating_mul(view.data.ty().size()));
    [views.iter().map(elements).max().unwrap_or(0), bytes.fold(0, usize::saturating_add)]
}

/// Gives results their Rust types.
pub(crate) fn array<R: GroupResult>(operation: &Operation, groups: Groups) -> Result<Array<R>, Error> {
    let values = R::all(&groups);
    if values.is_none() && groups.present.as_ref().is_some_and(|present| present.contains(&false)) {
        return Err(Error::NothingLeft { operator: operation.name.clone() });
    }
    let values = values.ok_or_else(|| Error::OutputType {
        expected: std::any::type_name::<R>(),
        found: operation.output.text(),
    })?;
    Ok(Array { shape: groups.shape.iter().map(|&length| length as usize).collect(), values })
}

impl<In, R: GroupResult, P: Params> With<'_, Reduction<In, Array<R>, P>> {
    /// As [`Reduction::reduce`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups`](crate::Reducer::reduce_groups).
    pub fn reduce<V: Views<In>>(&self, views: V) -> Result<Array<R>, Error> {
        let views = views.views();
        self.run_on_device(size(&views), |compiled| compiled.run(&views, &self.params))
    }
}

impl<In, R: GroupResult, P: Params> With<'_, Compiled<In, Array<R>, P>> {
    /// As [`Compiled::reduce`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups`](crate::Reducer::reduce_groups).
    pub fn reduce<V: Views<In>>(&self, views: V) -> Result<Array<R>, Error> {
        self.reduction.run(&views.views(), &self.params)
    }
}
