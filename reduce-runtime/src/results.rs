//! The results of named operators that return more than one number: structs of scalars.

use crate::Output;
use reduce_ir::Value;
use reduce_ir::arith::{Element, Float};
use std::fmt::{self, Display};

/// The extreme element (largest or smallest), and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Best<T> {
    /// The element.
    pub value: T,
    /// Its position.
    pub index: u64,
}

/// The smallest and the largest element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MinMax<T> {
    /// The smallest.
    pub min: T,
    /// The largest.
    pub max: T,
}

/// The positions of the smallest and the largest element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ArgMinMax {
    /// The position of the smallest.
    pub argmin: u64,
    /// The position of the largest.
    pub argmax: u64,
}

/// The largest element, and the sum of exp(x − max) over all elements x: the denominator of a softmax.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MaxSum<T> {
    /// The largest element.
    pub max: T,
    /// The sum of exp(x − max).
    pub sum: T,
}

/// Summary statistics of elements of type `T`, with moments of type `A`. Later versions may add moments.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Describe<T, A> {
    /// The number of elements.
    pub n: u64,
    /// Their mean.
    pub mean: A,
    /// The sum of the squared deviations from the mean: divided by n, or by n − 1, it is the variance.
    pub m2: A,
    /// The smallest.
    pub min: T,
    /// The largest.
    pub max: T,
}

/// Implements [`Output`] and `Display`: the values of a result are the fields, in their order.
macro_rules! output {
    ($name:ident<$($generic:ident),*> { $($field:ident),+ }) => {
        impl<$($generic: Element),*> Output for $name<$($generic),*> {
            fn of(values: &[Value]) -> Option<Self> {
                let &[$($field),+] = values else { return None };
                Some($name { $($field: $field.get()?),+ })
            }

            fn width() -> usize {
                [$(stringify!($field)),+].len()
            }
        }

        /// Prints the fields with their names, as in `min: -1, max: 4`.
        impl<$($generic: Display),*> Display for $name<$($generic),*> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut separator = "";
                $(
                    write!(f, "{separator}{}: ", stringify!($field))?;
                    Display::fmt(&self.$field, f)?;
                    separator = ", ";
                )+
                let _ = separator;
                Ok(())
            }
        }
    };
}

/// Implements the conversion to a tuple of the fields, in their order.
macro_rules! tuple {
    ($name:ident<$($generic:ident),*> { $($field:ident: $ty:ty),+ }) => {
        impl<$($generic),*> From<$name<$($generic),*>> for ($($ty),+) {
            fn from($name { $($field),+ }: $name<$($generic),*>) -> Self {
                ($($field),+)
            }
        }
    };
}

/// Implements what is computed from moments and sums of floats.
macro_rules! floats {
    ($($float:ident)*) => {
        $(
            impl<T> Describe<T, $float> {
                /// Returns the variance: the sum of the squared deviations divided by n − `ddof`, as the operator `var` does. Like
                /// there, the result is not finite if n is not greater than `ddof`.
                #[must_use]
                pub fn variance(&self, ddof: u64) -> $float {
                    self.m2 / (self.n - self.n.min(ddof)) as $float
                }

                /// Returns the standard deviation: the square root of the [variance](Describe::variance).
                #[must_use]
                pub fn std(&self, ddof: u64) -> $float {
                    self.variance(ddof).sqrt()
                }
            }

            impl MaxSum<$float> {
                /// Returns the logarithm of the sum of exp(x) over all elements x, with the bits of the operator `logsumexp`.
                #[must_use]
                pub fn logsumexp(&self) -> $float {
                    self.max + Float::ln(self.sum)
                }
            }
        )*
    };
}

output!(Best<T> { value, index });
output!(MinMax<T> { min, max });
output!(ArgMinMax<> { argmin, argmax });
output!(MaxSum<T> { max, sum });
output!(Describe<T, A> { n, mean, m2, min, max });

tuple!(Best<T> { value: T, index: u64 });
tuple!(MinMax<T> { min: T, max: T });
tuple!(ArgMinMax<> { argmin: u64, argmax: u64 });
tuple!(MaxSum<T> { max: T, sum: T });

floats!(f32 f64);
