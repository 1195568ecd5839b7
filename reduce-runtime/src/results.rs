//! The results of named operators that return more than one number: structs of scalars.

use crate::Output;
use reduce_ir::Value;
use reduce_ir::arith::Element;

/// The extreme element (largest or smallest), and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Best<T> {
    /// The element.
    pub value: T,
    /// Its position.
    pub index: u64,
}

/// The smallest and the largest element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MinMax<T> {
    /// The smallest.
    pub min: T,
    /// The largest.
    pub max: T,
}

/// The positions of the smallest and the largest element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArgMinMax {
    /// The position of the smallest.
    pub argmin: u64,
    /// The position of the largest.
    pub argmax: u64,
}

/// The largest element, and the sum of exp(x − max) over all elements x: the denominator of a softmax.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxSum<T> {
    /// The largest element.
    pub max: T,
    /// The sum of exp(x − max).
    pub sum: T,
}

/// Summary statistics of elements of type `T`, with moments of type `A`.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// Implements [`Output`]: the values of a result are the fields, in their order.
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
    };
}

output!(Best<T> { value, index });
output!(MinMax<T> { min, max });
output!(ArgMinMax<> { argmin, argmax });
output!(MaxSum<T> { max, sum });
output!(Describe<T, A> { n, mean, m2, min, max });
