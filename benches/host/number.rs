//! The types and operators of the benchmark, in plain Rust.

use ndarray::{ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;
use reduce_ir::arith::{Element, Order};
use reduce_ir::program::Association;
use reduce_ir::{Value, f16};
use reduce_lanes::LanesRef;
use std::fmt;
use std::hint::black_box;

/// An operator of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Sum,
    SumOfSquares,
    Min,
    Max,
    Argmax,
}

/// The name in specifications and NumPy.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Op::Sum => "sum",
            Op::SumOfSquares => "sum_of_squares",
            Op::Min => "min",
            Op::Max => "max",
            Op::Argmax => "argmax",
        })
    }
}

impl Op {
    pub(crate) const ALL: [Op; 5] = [Op::Sum, Op::SumOfSquares, Op::Min, Op::Max, Op::Argmax];

    /// Returns the result in the order of the association, for elements without NaN.
    pub(crate) fn reference<T: Number>(self, data: &[T], association: &Association) -> Value {
        let extreme = |pick: fn(T, T) -> T| association.reduce(data.to_vec(), pick).map(Value::of);
        let best =
            |a: (T, u64), b: (T, u64)| if Order::lt(a.0, b.0) || a.0 == b.0 && b.1 < a.1 { b } else { a };
        let value = match self {
            Op::Sum => summed(association, data.iter().map(|&x| x.wide())),
            Op::SumOfSquares => summed(association, data.iter().map(|&x| x.square())),
            Op::Min => extreme(Order::min),
            Op::Max => extreme(Order::max),
            Op::Argmax => {
                let places = data.iter().copied().zip(0..).collect();
                association.reduce(places, best).map(|best| Value::of(best.1))
            }
        };
        value.unwrap()
    }
}

/// The sum of the terms, combined as the association says.
fn summed<S: Sum>(association: &Association, terms: impl Iterator<Item = S>) -> Option<Value> {
    association.reduce(terms.collect(), S::add).map(Value::of)
}

/// A type that sums are computed in; integers wrap.
pub(crate) trait Sum: Element {
    fn add(self, other: Self) -> Self;
}

macro_rules! sum {
    ($($ty:ty: $add:expr),*) => {
        $(impl Sum for $ty {
            fn add(self, other: $ty) -> $ty {
                $add(self, other)
            }
        })*
    };
}

sum!(f32: std::ops::Add::add, f64: std::ops::Add::add, i32: i32::wrapping_add, u64: u64::wrapping_add);

/// An element type of the benchmark. If a peer has no method for an operator, it uses the loop that its users would write.
pub(crate) trait Number: Order + bytemuck::Pod {
    /// The type in which sums are computed.
    type Wide: Sum;
    /// The type in which sums of squares are computed.
    type Squared: Sum;
    /// The name of the type in NumPy.
    const NUMPY: &str;
    /// Converts a number from 0 to 1 to an element.
    fn of(unit: f64) -> Self;
    fn lanes(data: &[Self]) -> LanesRef<'_>;
    fn wide(self) -> Self::Wide;
    fn square(self) -> Self::Squared;
    fn plain(op: Op, data: &[Self]);
    fn ndarray(op: Op, data: &[Self]);
    /// Reduces a matrix along an axis, with `ndarray`.
    fn along(op: Op, matrix: ArrayView2<'_, Self>, axis: Axis);
    fn rayon(op: Op, data: &[Self]);
}

macro_rules! number {
    ($ty:ty, $numpy:literal, $wide:ty, $squared:ty, $of:expr, $to_wide:expr, $square:expr, $min:expr, $max:expr, $array_sum:expr, $array_square:expr, $axis_sum:expr) => {
        impl Number for $ty {
            type Wide = $wide;
            type Squared = $squared;
            const NUMPY: &str = $numpy;

            fn of(unit: f64) -> $ty {
                $of(unit)
            }

            fn lanes(data: &[$ty]) -> LanesRef<'_> {
                LanesRef::from(data)
            }

            fn wide(self) -> $wide {
                $to_wide(self)
            }

            fn square(self) -> $squared {
                $square(self)
            }

            fn plain(op: Op, data: &[$ty]) {
                let elements = data.iter().copied();
                match op {
                    Op::Sum => seen(elements.map($to_wide).sum::<$wide>()),
                    Op::SumOfSquares => seen(elements.map($square).sum::<$squared>()),
                    Op::Min => seen(elements.fold(<$ty>::MAX, $min)),
                    Op::Max => seen(elements.fold(<$ty>::MIN, $max)),
                    Op::Argmax => seen(elements.zip(0u64..).fold((<$ty>::MIN, 0), larger)),
                }
            }

            fn ndarray(op: Op, data: &[$ty]) {
                let array = ArrayView1::from(data);
                match op {
                    Op::Sum => seen($array_sum(array)),
                    Op::SumOfSquares => seen($array_square(array)),
                    Op::Min => seen(array.fold(<$ty>::MAX, |a, &b| $min(a, b))),
                    Op::Max => seen(array.fold(<$ty>::MIN, |a, &b| $max(a, b))),
                    Op::Argmax => seen(array.iter().copied().zip(0u64..).fold((<$ty>::MIN, 0), larger)),
                }
            }

            fn along(op: Op, matrix: ArrayView2<'_, $ty>, axis: Axis) {
                match op {
                    Op::Sum => seen($axis_sum(matrix, axis)),
                    Op::Max | Op::Min | Op::SumOfSquares | Op::Argmax => {
                        seen(matrix.fold_axis(axis, <$ty>::MIN, |&a, &b| $max(a, b)))
                    }
                }
            }

            fn rayon(op: Op, data: &[$ty]) {
                let elements = data.par_iter().copied();
                match op {
                    Op::Sum => seen(elements.map($to_wide).sum::<$wide>()),
                    Op::SumOfSquares => seen(elements.map($square).sum::<$squared>()),
                    Op::Min => seen(elements.reduce(|| <$ty>::MAX, $min)),
                    Op::Max => seen(elements.reduce(|| <$ty>::MIN, $max)),
                    Op::Argmax => {
                        let places = elements.enumerate().map(|(i, x)| (x, i as u64));
                        seen(places.reduce(|| (<$ty>::MIN, 0), larger))
                    }
                }
            }
        }
    };
}

/// Returns the larger of two values, or the first on a tie.
fn larger<T: PartialOrd>(a: (T, u64), b: (T, u64)) -> (T, u64) {
    if b.0 > a.0 { b } else { a }
}

/// Prevents the compiler from removing the computation of `result`.
fn seen<T>(result: T) {
    black_box(result);
}

fn itself<T>(x: T) -> T {
    x
}

number!(
    f32,
    "<f4",
    f32,
    f32,
    |unit| unit as f32 - 0.5,
    itself,
    |x| x * x,
    f32::min,
    f32::max,
    |a: ArrayView1<'_, f32>| a.sum(),
    |a: ArrayView1<'_, f32>| a.dot(&a),
    |a: ArrayView2<'_, f32>, axis| a.sum_axis(axis)
);
number!(
    f64,
    "<f8",
    f64,
    f64,
    |unit| unit - 0.5,
    itself,
    |x| x * x,
    f64::min,
    f64::max,
    |a: ArrayView1<'_, f64>| a.sum(),
    |a: ArrayView1<'_, f64>| a.dot(&a),
    |a: ArrayView2<'_, f64>, axis| a.sum_axis(axis)
);
number!(
    i32,
    "<i4",
    i32,
    u64,
    |unit| (unit * 2e9) as i32 - 1_000_000_000,
    itself,
    |x: i32| u64::from(x.unsigned_abs()).pow(2),
    Ord::min,
    Ord::max,
    |a: ArrayView1<'_, i32>| a.sum(),
    |a: ArrayView1<'_, i32>| a.fold(0, |sum: u64, x| sum + u64::from(x.unsigned_abs()).pow(2)),
    |a: ArrayView2<'_, i32>, axis| a.sum_axis(axis)
);
number!(
    f16,
    "<f2",
    f32,
    f32,
    |unit| f16::from_f64(unit - 0.5),
    f32::from,
    |x| f32::from(x) * f32::from(x),
    f16::min,
    f16::max,
    |a: ArrayView1<'_, f16>| a.fold(0.0, |sum, &x| sum + f32::from(x)),
    |a: ArrayView1<'_, f16>| a.fold(0.0, |sum, &x| sum + f32::from(x) * f32::from(x)),
    |a: ArrayView2<'_, f16>, axis| a.fold_axis(axis, 0.0f32, |sum, &x| sum + f32::from(x))
);
