//! What each operation on scalars means, once.
//!
//! Host, interpreter and (through the CUDA printer, which is tested against this module) every GPU agree
//! with these functions bit for bit. Integers wrap, and shifts take their distance modulo the bits. Float arithmetic is
//! IEEE round-to-nearest-even, never contracted; `mul_add` is the only fused operation. `min` and `max` propagate NaN
//! and order −0 below +0 (IEEE 754-2019 `minimum`, `maximum`); `min_num` and `max_num` prefer a number to NaN
//! (`minimumNumber`, `maximumNumber`), as Rust's `f32::min` and `f32::max` do. Comparisons are IEEE: NaN is unordered
//! and −0 equals +0. Nothing but [`Float::to_bits`] sees the bits of a NaN, which machines choose as they like.

mod convert;
mod float;
mod half;
mod integer;

pub use convert::{As, widen, widen_bf16};

use crate::Scalar;

mod sealed {
    /// Nobody else's types: unsafe code of devices relies on what they say.
    pub trait Sealed {}
}

macro_rules! sealed {
    ($($ty:ty)*) => { $(impl sealed::Sealed for $ty {})* };
}
sealed!(bool crate::f16 crate::bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64);

/// A Rust type that is one of the scalar types of the language.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + Send + Sync + 'static {
    /// The type in the language.
    const TY: Scalar;
    /// The bits, in the low end of a word.
    fn to_bits64(self) -> u64;
    /// The value of those bits; higher bits are ignored.
    fn from_bits64(bits: u64) -> Self;
    /// `a` if `cond`, else `b`. On bits: the compiler turns `if` into a branch that the processor mispredicts.
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

/// `lanes[i] = f(lanes[i], row[i])`, row after row of the groups.
#[inline(always)]
pub fn join_rows<'a, T: Copy, B: Copy + 'a, const N: usize, const PARTS: usize, const LANES: usize>(
    lanes: &mut [T; LANES],
    groups: impl Iterator<Item = [&'a [[B; LANES]; N]; PARTS]>,
    f: impl Fn(T, B) -> T,
) {
    // In registers.
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

/// The operations of everything that has an order: numbers, and 16-bit floats, which have no arithmetic of their own.
pub trait Order: Element {
    /// The smaller; NaN if either is NaN; −0 if both are zeros of different sign.
    fn min(self, other: Self) -> Self;
    /// The larger; NaN if either is NaN; +0 if both are zeros of different sign.
    fn max(self, other: Self) -> Self;
    /// `self < other`.
    fn lt(self, other: Self) -> bool;
    /// `self <= other`.
    fn le(self, other: Self) -> bool;
    /// Is it NaN? Never for integers.
    fn is_nan(self) -> bool;
    /// The value itself, or for NaN the one NaN that outputs may hold: quiet, positive, no payload.
    fn canonical(self) -> Self;

    /// `lanes[i]` becomes the smallest of itself and what is below it in the rows, as by [`Order::min`] in any order.
    /// There is an even number of parts.
    #[inline(always)]
    fn min_rows<'a, const N: usize, const PARTS: usize, const LANES: usize>(
        lanes: &mut [Self; LANES],
        groups: impl Iterator<Item = [&'a [[Self; LANES]; N]; PARTS]>,
    ) {
        join_rows(lanes, groups, Order::min);
    }

    /// `lanes[i]` becomes the largest of itself and what is below it in the rows, as by [`Order::max`] in any order.
    /// There is an even number of parts.
    #[inline(always)]
    fn max_rows<'a, const N: usize, const PARTS: usize, const LANES: usize>(
        lanes: &mut [Self; LANES],
        groups: impl Iterator<Item = [&'a [[Self; LANES]; N]; PARTS]>,
    ) {
        join_rows(lanes, groups, Order::max);
    }

    /// [`Order::min`], but of a number and a NaN the number.
    #[inline(always)]
    fn min_num(self, other: Self) -> Self {
        let least = Self::select(other.is_nan(), self, Order::min(self, other));
        Self::select(self.is_nan(), other, least)
    }

    /// [`Order::max`], but of a number and a NaN the number.
    #[inline(always)]
    fn max_num(self, other: Self) -> Self {
        let greatest = Self::select(other.is_nan(), self, Order::max(self, other));
        Self::select(self.is_nan(), other, greatest)
    }
}

/// The arithmetic of numbers.
pub trait Number: Order {
    /// `self + other`.
    fn add(self, other: Self) -> Self;
    /// `self - other`.
    fn sub(self, other: Self) -> Self;
    /// `self * other`.
    fn mul(self, other: Self) -> Self;
    /// `self / other`. Of integers: rounded towards zero; where [`Bin::Div`](crate::ops::Bin::Div) promises nothing, 0 by 0, and
    /// the smallest by −1 wraps.
    fn div(self, other: Self) -> Self;
    /// `-self`.
    fn neg(self) -> Self;
    /// The magnitude; the smallest signed integer wraps to itself.
    fn abs(self) -> Self;
}

/// What `f32` and `f64` have besides.
pub trait Float: Number {
    /// The unsigned integer of the same size.
    type Bits: Integer;
    /// e to that power, as the [library](crate::library) has it.
    fn exp(self) -> Self;
    /// The natural logarithm, likewise.
    fn ln(self) -> Self;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The largest integer that is not above it.
    fn floor(self) -> Self;
    /// The smallest integer that is not below it.
    fn ceil(self) -> Self;
    /// The integer next to it towards zero.
    fn trunc(self) -> Self;
    /// The nearest integer; of two, the even one.
    fn round_ties_even(self) -> Self;
    /// `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The bits; of every NaN those of the canonical one.
    fn to_bits(self) -> Self::Bits;
    /// The float of those bits.
    fn from_bits(bits: Self::Bits) -> Self;
}

/// The operations integers and `bool` have besides.
pub trait Bits: Element {
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise not.
    fn not(self) -> Self;
}

/// What integers have besides.
pub trait Integer: Number + Bits {
    /// The remainder of [`Number::div`]; 0 where `other` is 0.
    fn rem(self, other: Self) -> Self;
    /// Shifted left by `distance` modulo the number of bits.
    fn shl(self, distance: u32) -> Self;
    /// Shifted right by `distance` modulo the number of bits; the sign of signed integers is kept.
    fn shr(self, distance: u32) -> Self;
    /// How many bits are set.
    fn count_ones(self) -> u32;
    /// How many bits above the highest set one are not.
    fn leading_zeros(self) -> u32;
    /// How many bits below the lowest set one are not.
    fn trailing_zeros(self) -> u32;
}
