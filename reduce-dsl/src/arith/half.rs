//! 16-bit floats: an order on their bits, and no arithmetic.

use super::{Element, Order, select, widen, widen_bf16};
use crate::Scalar;
use half::{bf16, f16};

/// The bits of a 16-bit float as an integer of the same order, −0 below +0.
#[inline(always)]
fn ordinal(bits: u16) -> i16 {
    let bits = bits.cast_signed();
    bits ^ ((bits >> 15) & i16::MAX)
}

/// Of the bits of several 16-bit floats the largest as `i16`, and the smallest and the largest as `u16`. Among floats without
/// a sign bits have the order of values, among those with one the opposite; beyond infinity is NaN.
#[inline(always)]
fn extremes<const N: usize>(first: u16, others: [u16; N]) -> (i16, u16, u16) {
    let start = (i16::MIN, u16::MAX, u16::MIN);
    others.into_iter().chain([first]).fold(start, |(signed, least, most), bits| {
        (Ord::max(signed, bits.cast_signed()), Ord::min(least, bits), Ord::max(most, bits))
    })
}

const SIGN: u16 = 1 << 15;

macro_rules! half_float {
    ($ty:ty, $scalar:ident, $widen:path, $infinity:literal, $nan:literal) => {
        impl Element for $ty {
            const TY: Scalar = Scalar::$scalar;
            fn to_bits64(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn from_bits64(bits: u64) -> Self {
                <$ty>::from_bits(bits as u16)
            }
            select!(u16, <$ty>::from_bits, <$ty>::to_bits);
        }

        impl Order for $ty {
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                let least = if ordinal(self.to_bits()) <= ordinal(other.to_bits()) { self } else { other };
                let ordered = if Order::is_nan(other) { other } else { least };
                if Order::is_nan(self) { self } else { ordered }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let greatest = if ordinal(self.to_bits()) >= ordinal(other.to_bits()) { self } else { other };
                let ordered = if Order::is_nan(other) { other } else { greatest };
                if Order::is_nan(self) { self } else { ordered }
            }
            #[inline(always)]
            fn min_of<const N: usize>(self, others: [Self; N]) -> Self {
                let (signed, least, most) = extremes(self.to_bits(), others.map(<$ty>::to_bits));
                let ordered = if most >= SIGN { most } else { least };
                let nan = signed > $infinity || most > $infinity | SIGN;
                <$ty>::from_bits(if nan { $nan } else { ordered })
            }
            #[inline(always)]
            fn max_of<const N: usize>(self, others: [Self; N]) -> Self {
                let (signed, least, most) = extremes(self.to_bits(), others.map(<$ty>::to_bits));
                let ordered = if signed < 0 { least } else { signed.cast_unsigned() };
                let nan = signed > $infinity || most > $infinity | SIGN;
                <$ty>::from_bits(if nan { $nan } else { ordered })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                $widen(self) < $widen(other)
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                $widen(self) <= $widen(other)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.to_bits() & 0x7fff > $infinity
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                if Order::is_nan(self) { <$ty>::from_bits($nan) } else { self }
            }
        }
    };
}

half_float!(f16, F16, widen, 0x7c00, 0x7e00);
half_float!(bf16, Bf16, widen_bf16, 0x7f80, 0x7fc0);
