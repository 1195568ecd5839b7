//! The Rust types of inputs and results.

use half::f16;
use reduce_dsl::Value;
use reduce_dsl::lanes::LanesRef;

/// The element types of a reduction's inputs: `f32`, or `(f32, f64)` for two inputs, up to sixteen.
pub trait Inputs: sealed::Sealed + 'static {
    /// What `reduce` takes: `&[f32]`, or `(&[f32], &[f64])`.
    type Slices<'a>;
    #[doc(hidden)]
    fn lanes(slices: Self::Slices<'_>) -> impl AsRef<[LanesRef<'_>]>;
}

/// What a reduction gives: a scalar.
pub trait Output: Sized + 'static {
    /// The result with those fields, or `None` if they are of other types.
    fn of(values: &[Value]) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! inputs {
    ($($ty:ty)*) => {
        $(
            impl sealed::Sealed for $ty {}

            impl Inputs for $ty {
                type Slices<'a> = &'a [$ty];

                fn lanes(slice: Self::Slices<'_>) -> impl AsRef<[LanesRef<'_>]> {
                    [LanesRef::from(slice)]
                }
            }
        )*
    };
}

inputs!(f16 f32 f64 i32 u32 i64 u64);

/// A tuple of these elements, and one of all but the first, down to two.
macro_rules! tuples {
    ($element:ident $slice:ident) => {};
    ($first:ident $first_slice:ident, $($element:ident $slice:ident),+) => {
        tuple!($first $first_slice, $($element $slice),+);
        tuples!($($element $slice),+);
    };
}

macro_rules! tuple {
    ($($element:ident $slice:ident),+) => {
        impl<$($element: Inputs),+> sealed::Sealed for ($($element,)+) {}

        // Fifteen impls with fifteen bounds say less than the documentation of the trait.
        #[doc(hidden)]
        impl<$($element),+> Inputs for ($($element,)+)
        where
            $($element: Inputs, for<'a> $element: Inputs<Slices<'a> = &'a [$element]>,)+
            $(for<'a> LanesRef<'a>: From<&'a [$element]>,)+
        {
            type Slices<'a> = ($(&'a [$element],)+);

            fn lanes(($($slice,)+): Self::Slices<'_>) -> impl AsRef<[LanesRef<'_>]> {
                [$(LanesRef::from($slice)),+]
            }
        }
    };
}

tuples!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o, P p);

macro_rules! outputs {
    ($($ty:ty)*) => {
        $(
            impl Output for $ty {
                fn of(values: &[Value]) -> Option<$ty> {
                    let [value] = values else { return None };
                    value.get()
                }
            }
        )*
    };
}

outputs!(f16 f32 f64 i32 u32 i64 u64 bool);
