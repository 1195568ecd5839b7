//! The Rust types of inputs, params and results.

use crate::Strided;
use half::{bf16, f16};
use reduce_ir::Value;
use reduce_lanes::{Lanes, LanesRef};

/// Slices for the inputs `In`: a reference to a slice, or to a value that converts to one, such as a `Vec` or an array,
/// or [`Strided`] elements of it. Up to sixteen inputs are a tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold elements for the inputs `{In}`",
    note = "give a reference to a slice of exactly that type, or `Strided` elements of one; a tuple of them for several inputs",
    note = "pass data on a GPU to `reduce_device`"
)]
pub trait Slices<In> {
    #[doc(hidden)]
    fn views(&self) -> Vec<Strided<LanesRef<'_>>>;
}

/// Implements the traits for a tuple of these elements, and for each shorter tuple without its first elements, down to
/// two.
macro_rules! tuples {
    ($element:ident $slice:ident) => {};
    ($first:ident $first_slice:ident, $($element:ident $slice:ident),+) => {
        tuple!($first $first_slice, $($element $slice),+);
        tuples!($($element $slice),+);
    };
}

macro_rules! tuple {
    ($($element:ident $slice:ident),+) => {
        // Hidden: the documentation of the traits says more than fifteen impls with fifteen bounds each.
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<$($element, $slice: Slices<$element>),+> Slices<($($element,)+)> for ($($slice,)+) {
            #[allow(non_snake_case, reason = "a slice has the name of its type")]
            fn views(&self) -> Vec<Strided<LanesRef<'_>>> {
                let ($($slice,)+) = self;
                [$($slice.views()),+].concat()
            }
        }
    };
}

tuples!(
    A SA, B SB, C SC, D SD, E SE, F SF, G SG, H SH, I SI, J SJ, K SK, L SL, M SM, N SN, O SO, P SP
);

/// The types of the params of a reduction: a scalar for one, `()` for none, and otherwise the struct that `reduction!` makes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type for params",
    note = "params are a scalar, the struct that `reduction!` makes for several, or `()` where a reduction has none"
)]
pub trait Params: 'static {
    #[doc(hidden)]
    fn values(&self) -> Vec<Value>;
}

impl Params for () {
    fn values(&self) -> Vec<Value> {
        Vec::new()
    }
}

/// A struct of params, as `reduction!` makes it for several params or for params with defaults.
#[diagnostic::on_unimplemented(
    message = "the params of this reduction have no names at the call",
    note = "give the one param as in `scaled.with(2.0).reduce(&x)`"
)]
pub trait NamedParams: Params {
    /// The params that are set.
    #[doc(hidden)]
    type Given;

    /// Returns the params without values, except for defaults.
    #[doc(hidden)]
    fn given() -> Self::Given;
}

/// Named params that all have values.
#[diagnostic::on_unimplemented(
    message = "a param has no value: `{Self}`",
    note = "set each param without default once, as in `inside.with_params(|p| p.lo(0.0).hi(1.0))`"
)]
pub trait CompleteParams<P> {
    #[doc(hidden)]
    fn complete(self) -> P;
}

/// Params that a call need not give: none, or such that all have defaults. `reduce` can be called without `with`.
#[diagnostic::on_unimplemented(
    message = "this reduction needs values for its params",
    label = "params of type `{Self}` are missing",
    note = "give them first, as in `scaled.with(2.0).reduce(&x)`, or several as in `inside.with_params(|p| p.lo(0.0).hi(1.0))`"
)]
pub trait NoParams: Params + Default {}

#[diagnostic::do_not_recommend]
impl NoParams for () {}

/// The result of a reduction: a scalar, or a struct, tuple or array of such. `reduction!` implements it for the
/// structs that it makes.
pub trait Output: Sized + 'static {
    /// Makes the result from its fields; `None` if they are of other types.
    fn of(values: &[Value]) -> Option<Self>;

    /// Returns the number of its fields, where arrays and tuples count theirs.
    #[doc(hidden)]
    fn width() -> usize {
        1
    }

    /// Makes many results from their fields, one vector for each; `None` if they are of other types.
    #[doc(hidden)]
    fn all(fields: &[Lanes]) -> Option<Vec<Self>> {
        let len = fields.first().map_or(0, Lanes::len);
        (0..len).map(|at| Self::of(&fields.iter().map(|field| field.get(at)).collect::<Vec<_>>())).collect()
    }
}

/// The type that a reduction returns: an [`Output`], or an [`Array`](crate::Array) of results if it has `axes`.
#[diagnostic::on_unimplemented(message = "no reduction returns `{Self}`")]
pub trait Returned: 'static {}

impl<T: Output> Returned for T {}

// One impl per type: with a single generic impl, error messages would talk about its bounds.
macro_rules! scalars {
    ($($ty:ty)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<S: AsRef<[$ty]> + ?Sized> Slices<$ty> for &S {
                fn views(&self) -> Vec<Strided<LanesRef<'_>>> {
                    vec![LanesRef::from(self.as_ref()).into()]
                }
            }

            #[diagnostic::do_not_recommend]
            impl<S: AsRef<[$ty]> + ?Sized> Slices<$ty> for Strided<&S> {
                fn views(&self) -> Vec<Strided<LanesRef<'_>>> {
                    vec![self.with_data(LanesRef::from(self.data.as_ref()))]
                }
            }

            /// The elements of arrays are inputs that lie between each other.
            #[diagnostic::do_not_recommend]
            impl<S: AsRef<[[$ty; K]]> + ?Sized, const K: usize> Slices<[$ty; K]> for &S {
                fn views(&self) -> Vec<Strided<LanesRef<'_>>> {
                    let (arrays, step) = (self.as_ref(), isize::try_from(K).unwrap_or(isize::MAX));
                    let (data, len) = (LanesRef::from(arrays.as_flattened()), arrays.len());
                    (0..K).map(|offset| Strided { data, offset: offset.min(data.len()), step, len }).collect()
                }
            }

            impl Output for $ty {
                fn of(values: &[Value]) -> Option<$ty> {
                    let [value] = values else { return None };
                    value.get()
                }

                fn all(fields: &[Lanes]) -> Option<Vec<$ty>> {
                    let [field] = fields else { return None };
                    <&[$ty]>::try_from(field.borrow()).ok().map(<[$ty]>::to_vec)
                }
            }

            impl Params for $ty {
                fn values(&self) -> Vec<Value> {
                    vec![Value::of(*self)]
                }
            }
        )*
    };
}

scalars!(f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool);
