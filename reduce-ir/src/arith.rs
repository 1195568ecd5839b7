//! The meaning of each operation on scalars, defined once.
//!
//! The host, the interpreter and every GPU agree with these functions bit for bit. GPUs run the output of the CUDA printer,
//! which is tested against this module. Integers wrap, and shifts take their distance modulo the number of bits. Float arithmetic
//! is IEEE round-to-nearest-even, never contracted; `mul_add` is the only fused operation. `min` and `max` propagate NaN
//! and order −0 below +0 (IEEE 754-2019 `minimum`, `maximum`); `min_num` and `max_num` prefer a number to NaN
//! (`minimumNumber`, `maximumNumber`), as Rust's `f32::min` and `f32::max` do. Comparisons are IEEE: NaN is unordered
//! and −0 equals +0. No operation except [`Float::to_bits`] observes the bits of a NaN, which differ between machines.

mod convert;
mod float;
mod half;
mod integer;

pub use convert::{As, widen, widen_bf16};

use crate::Scalar;

mod sealed {
    /// Excludes types of other crates: unsafe code of devices relies on the properties of these types.
    pub trait Sealed {}
}

macro_rules! sealed {
    ($($ty:ty)*) => { $(impl sealed::Sealed for $ty {})* };
}
sealed!(bool crate::f16 crate::bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64);

/// A Rust type that represents a scalar type of the language.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + Send + Sync + 'static {
    /// The scalar type of the language.
    const TY: Scalar;
    /// Returns the bits, in the low end of a word.
    fn to_bits64(self) -> u64;
    /// Returns the value of those bits; higher bits are ignored.
    fn from_bits64(bits: u64) -> Self;
    /// Returns `a` if `cond`, otherwise `b`. Selects on bits: the compiler turns `if` into a branch that the processor
    /// mispredicts.
    fn select(cond: bool, a: Self, b: Self) -> Self;
}

macro_rules! select {
    ($bits:ty, $of:expr, $to:expr) => {
        #[inline(always)]
        fn select(cond: bool, a: Self, b: Self) -> Self {
            let mask = <$bits>::from(cond).wrapping_neg();
            $of($to(a) & mask | $to(b) & !mask)
        }
    };
}
use select;

/// Computes `lanes[i] = f(lanes[i], row[i])` for each row of the groups, in order.
#[inline(always)]
pub fn join_rows<'a, T: Copy, B: Copy + 'a, const N: usize, const PARTS: usize, const LANES: usize>(
    lanes: &mut [T; LANES],
    groups: impl Iterator<Item = [&'a [[B; LANES]; N]; PARTS]>,
    f: impl Fn(T, B) -> T,
) {
    // The local copy stays in registers.
    let mut kept = *lanes;
    for groups in groups {
        for group in groups {
            for row in group {
                for (lane, &x) in kept.iter_mut().zip(row) {
                    *lane = f(*lane, x);
                }
            }
        }
    }
    *lanes = kept;
}

/// The operations of ordered types: numbers, and 16-bit floats, which have no arithmetic of their own.
pub trait Order: Element {
    /// Returns the smaller; NaN if either is NaN; −0 if both are zeros of different sign.
    fn min(self, other: Self) -> Self;
    /// Returns the larger; NaN if either is NaN; +0 if both are zeros of different sign.
    fn max(self, other: Self) -> Self;
    /// Returns `self < other`.
    fn lt(self, other: Self) -> bool;
    /// Returns `self <= other`.
    fn le(self, other: Self) -> bool;
    /// Returns whether it is NaN: never for integers.
    fn is_nan(self) -> bool;
    /// Returns the value itself, or for NaN the one NaN that outputs may hold: quiet, positive, no payload.
    fn canonical(self) -> Self;

    /// Replaces `lanes[i]` by the smallest of `lanes[i]` and element `i` of each row, by [`Order::min`] in any order.
    /// The number of parts is even.
    #[inline(always)]
    fn min_rows<'a, const N: usize, const PARTS: usize, const LANES: usize>(
        lanes: &mut [Self; LANES],
        groups: impl Iterator<Item = [&'a [[Self; LANES]; N]; PARTS]>,
    ) {
        join_rows(lanes, groups, Order::min);
    }

    /// Replaces `lanes[i]` by the largest of `lanes[i]` and element `i` of each row, by [`Order::max`] in any order.
    /// The number of parts is even.
    #[inline(always)]
    fn max_rows<'a, const N: usize, const PARTS: usize, const LANES: usize>(
        lanes: &mut [Self; LANES],
        groups: impl Iterator<Item = [&'a [[Self; LANES]; N]; PARTS]>,
    ) {
        join_rows(lanes, groups, Order::max);
    }

    /// Returns the result of [`Order::min`], but prefers a number to a NaN.
    #[inline(always)]
    fn min_num(self, other: Self) -> Self {
        let least = Self::select(other.is_nan(), self, Order::min(self, other));
        Self::select(self.is_nan(), other, least)
    }

    /// Returns the result of [`Order::max`], but prefers a number to a NaN.
    #[inline(always)]
    fn max_num(self, other: Self) -> Self {
        let greatest = Self::select(other.is_nan(), self, Order::max(self, other));
        Self::select(self.is_nan(), other, greatest)
    }
}

/// The arithmetic of numbers.
pub trait Number: Order {
    /// Returns `self + other`.
    fn add(self, other: Self) -> Self;
    /// Returns `self - other`.
    fn sub(self, other: Self) -> Self;
    /// Returns `self * other`.
    fn mul(self, other: Self) -> Self;
    /// Returns `self / other`. Integers round towards zero. Where [`Bin::Div`](crate::ops::Bin::Div) promises nothing, division
    /// by 0 gives 0, and the smallest integer divided by −1 wraps.
    fn div(self, other: Self) -> Self;
    /// Returns `-self`.
    fn neg(self) -> Self;
    /// Returns the magnitude; the smallest signed integer wraps to itself.
    fn abs(self) -> Self;
}

/// The operations of `f32` and `f64` only.
pub trait Float: Number {
    /// The unsigned integer of the same size.
    type Bits: Integer;
    /// Returns e to the power of `self`, as the [library](crate::library) defines it.
    fn exp(self) -> Self;
    /// Returns the natural logarithm, as the library defines it.
    fn ln(self) -> Self;
    /// Returns 2 to the power of `self`, as the library defines it.
    fn exp2(self) -> Self;
    /// Returns the logarithm to base 2, as the library defines it.
    fn log2(self) -> Self;
    /// Returns e to the power of `self`, minus 1, as the library defines it.
    fn exp_m1(self) -> Self;
    /// Returns the natural logarithm of 1 + `self`, as the library defines it.
    fn ln_1p(self) -> Self;
    /// Returns the sine of an angle in radians, as the library defines it.
    fn sin(self) -> Self;
    /// Returns the cosine of an angle in radians, as the library defines it.
    fn cos(self) -> Self;
    /// Returns the hyperbolic tangent, as the library defines it.
    fn tanh(self) -> Self;
    /// Returns the root of the sum of both squares, as the library defines it.
    fn hypot(self, other: Self) -> Self;
    /// Returns the square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Returns the largest integer that is not above it.
    fn floor(self) -> Self;
    /// Returns the smallest integer that is not below it.
    fn ceil(self) -> Self;
    /// Returns the value rounded to an integer towards zero.
    fn trunc(self) -> Self;
    /// Returns the nearest integer; ties round to even.
    fn round_ties_even(self) -> Self;
    /// Returns `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Returns the bits; every NaN has the bits of the canonical NaN.
    fn to_bits(self) -> Self::Bits;
    /// Returns the float with those bits.
    fn from_bits(bits: Self::Bits) -> Self;
}

/// The operations of `f32` only.
pub trait Single: Float {
    /// Returns the tangent of an angle in radians, as the [library](crate::library) defines it.
    fn tan(self) -> Self;
    /// Returns `self` to the power of `exponent`, as the library defines it.
    fn powf(self, exponent: Self) -> Self;
    /// Returns the angle in radians of the point (`x`, `self`), as the library defines it.
    fn atan2(self, x: Self) -> Self;
}

/// The bitwise operations of integers and `bool`.
pub trait Bits: Element {
    /// Returns the bitwise and.
    fn and(self, other: Self) -> Self;
    /// Returns the bitwise or.
    fn or(self, other: Self) -> Self;
    /// Returns the bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Returns the bitwise not.
    fn not(self) -> Self;
}

/// The operations of integers only.
pub trait Integer: Number + Bits {
    /// Returns the remainder of [`Number::div`]; 0 if `other` is 0.
    fn rem(self, other: Self) -> Self;
    /// Shifts left by `distance` modulo the number of bits.
    fn shl(self, distance: u32) -> Self;
    /// Shifts right by `distance` modulo the number of bits; signed integers keep their sign.
    fn shr(self, distance: u32) -> Self;
    /// Returns the number of bits that are set.
    fn count_ones(self) -> u32;
    /// Returns the number of zero bits above the highest set bit.
    fn leading_zeros(self) -> u32;
    /// Returns the number of zero bits below the lowest set bit.
    fn trailing_zeros(self) -> u32;
}
