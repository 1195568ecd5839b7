//! The operations of `f32` and `f64`.

use super::{Element, Float, Number, Order, Single, select};
use crate::{Scalar, library};

/// Replaces each lane by the best of itself and its elements of the rows. NaN is tested for two elements at once. The signs are
/// collected for all elements and used at the end, where the best value is a zero.
macro_rules! extreme_rows {
    ($ty:ty, $bits:ty, $lanes:ident, $groups:ident, $better:ident, $of_signs:tt) => {
        const { assert!(PARTS.is_multiple_of(2), "groups are taken in pairs") };
        let (mut best, mut signs) = (*$lanes, $lanes.map(<$ty>::to_bits));
        let mut nan = $lanes.map(|x| <$bits>::from(x != x));
        for groups in $groups {
            for [a, b] in groups.as_chunks::<2>().0 {
                for (a, b) in a.iter().zip(*b) {
                    for (i, best) in best.iter_mut().enumerate() {
                        let (a, b) = (a[i], b[i]);
                        *best = $better($better(a, b), *best);
                        signs[i] = signs[i] $of_signs a.to_bits() $of_signs b.to_bits();
                        nan[i] |= <$bits>::from((a != a) | (b != b)).wrapping_neg();
                    }
                }
            }
        }
        for (i, lane) in $lanes.iter_mut().enumerate() {
            let zero = <$ty>::from_bits(signs[i] & !(<$bits>::MAX >> 1));
            let ordered = if best[i] == 0.0 { zero } else { best[i] };
            *lane = if nan[i] != 0 { <$ty>::NAN } else { ordered };
        }
    };
}

/// Returns the first if it is less, otherwise the second, as processor instructions do.
#[inline(always)]
fn less<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// Returns the first if it is greater, otherwise the second.
#[inline(always)]
fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// Returns the first if it is a number, otherwise the second.
#[inline(always)]
fn number<T: Order>(a: T, b: T) -> T {
    if a.is_nan() { b } else { a }
}

macro_rules! float {
    ($ty:ty, $scalar:ident, $bits:ty, $nan:literal) => {
        impl Element for $ty {
            const TY: Scalar = Scalar::$scalar;
            fn to_bits64(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn from_bits64(bits: u64) -> Self {
                <$ty>::from_bits(bits as $bits)
            }
            select!($bits, <$ty>::from_bits, <$ty>::to_bits);
        }

        impl Order for $ty {
            // If one is less, both calls return it. Otherwise each returns another operand: equal bits; zeros, where `|` keeps
            // the sign of −0 and `&` drops it; or a NaN, which stays NaN under `|` with any bits.
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                let [least, again] = [less(self, other), less(other, self)];
                <$ty>::from_bits(least.to_bits() | again.to_bits())
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let [greatest, again] = [greater(self, other), greater(other, self)];
                let ordered = <$ty>::from_bits(greatest.to_bits() & again.to_bits());
                Element::select(self != self || other != other, <$ty>::NAN, ordered)
            }
            #[inline(always)]
            fn min_num(self, other: Self) -> Self {
                Order::min(number(self, other), number(other, self))
            }
            #[inline(always)]
            fn max_num(self, other: Self) -> Self {
                Order::max(number(self, other), number(other, self))
            }
            // If the least is a zero, only a −0 can have set the sign.
            #[inline(always)]
            fn min_rows<'a, const N: usize, const PARTS: usize, const LANES: usize>(
                lanes: &mut [Self; LANES],
                groups: impl Iterator<Item = [&'a [[Self; LANES]; N]; PARTS]>,
            ) {
                extreme_rows!($ty, $bits, lanes, groups, less, |);
            }
            // If the largest is a zero, only a +0 can have cleared the sign.
            #[inline(always)]
            fn max_rows<'a, const N: usize, const PARTS: usize, const LANES: usize>(
                lanes: &mut [Self; LANES],
                groups: impl Iterator<Item = [&'a [[Self; LANES]; N]; PARTS]>,
            ) {
                extreme_rows!($ty, $bits, lanes, groups, greater, &);
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                if self != self { <$ty>::from_bits($nan) } else { self }
            }
        }

        impl Number for $ty {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn neg(self) -> Self {
                -self
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$ty>::from_bits(self.to_bits() & (<$bits>::MAX >> 1))
            }
        }

        impl Float for $ty {
            type Bits = $bits;
            #[inline(always)]
            fn exp(self) -> Self {
                library::exp::of(&library::exp::$scalar, self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                library::ln::of(&library::ln::$scalar, self)
            }
            #[inline(always)]
            fn exp2(self) -> Self {
                library::exp2::of(&library::exp2::$scalar, self)
            }
            #[inline(always)]
            fn log2(self) -> Self {
                library::of_one(&library::Log2::$scalar, self)
            }
            #[inline(always)]
            fn exp_m1(self) -> Self {
                library::of_one(&library::ExpM1::$scalar, self)
            }
            #[inline(always)]
            fn ln_1p(self) -> Self {
                library::of_one(&library::Ln1p::$scalar, self)
            }
            #[inline(always)]
            fn sin(self) -> Self {
                library::of_one(&library::Sine::$scalar, self)
            }
            #[inline(always)]
            fn cos(self) -> Self {
                library::of_one(&library::Cosine::$scalar, self)
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                library::of_one(&library::Tanh::$scalar, self)
            }
            #[inline(always)]
            fn hypot(self, other: Self) -> Self {
                library::of_two(&library::Hypot::$scalar, self, other)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$ty>::sqrt(self)
            }
            #[inline(always)]
            fn floor(self) -> Self {
                <$ty>::floor(self)
            }
            #[inline(always)]
            fn ceil(self) -> Self {
                <$ty>::ceil(self)
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                <$ty>::trunc(self)
            }
            #[inline(always)]
            fn round_ties_even(self) -> Self {
                <$ty>::round_ties_even(self)
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                <$ty>::mul_add(self, a, b)
            }
            #[inline(always)]
            fn to_bits(self) -> $bits {
                <$ty>::to_bits(self.canonical())
            }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                <$ty>::from_bits(bits)
            }
        }
    };
}

float!(f32, F32, u32, 0x7fc0_0000);
float!(f64, F64, u64, 0x7ff8_0000_0000_0000);

impl Single for f32 {
    #[inline(always)]
    fn tan(self) -> Self {
        library::of_one(&library::Tangent, self)
    }
    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        library::of_two(&library::Powf, self, exponent)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        library::of_two(&library::Atan2, self, x)
    }
}
