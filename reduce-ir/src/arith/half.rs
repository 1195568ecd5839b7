//! 16-bit floats: an order on their bits, and no arithmetic.

use super::{Element, Order, select, widen, widen_bf16};
use crate::Scalar;
use half::{bf16, f16};

/// Returns the bits of a 16-bit float as an integer of the same order, −0 below +0.
#[inline(always)]
fn ordinal(bits: u16) -> i16 {
    let bits = bits.cast_signed();
    bits ^ ((bits >> 15) & i16::MAX)
}

/// The extremes of the bits of many 16-bit floats: the largest as `i16`, the smallest and the largest as `u16`. Without a
/// sign, bits have the order of values; with a sign, the opposite order. Bits beyond infinity are NaN.
struct Extremes<const LANES: usize> {
    signed: [i16; LANES],
    least: [u16; LANES],
    most: [u16; LANES],
}

/// Returns the extremes of each lane and its elements of the rows.
#[inline(always)]
fn extremes<'a, T: Copy + 'a, const N: usize, const PARTS: usize, const LANES: usize>(
    lanes: &[T; LANES],
    groups: impl Iterator<Item = [&'a [[T; LANES]; N]; PARTS]>,
    bits: impl Fn(T) -> u16,
) -> Extremes<LANES> {
    let (mut signed, mut least, mut most) = ([i16::MIN; LANES], [u16::MAX; LANES], [u16::MIN; LANES]);
    for (i, &x) in lanes.iter().enumerate() {
        (signed[i], least[i], most[i]) = (bits(x).cast_signed(), bits(x), bits(x));
    }
    for groups in groups {
        for (i, signed) in signed.iter_mut().enumerate() {
            for group in groups {
                for row in group {
                    let bits = bits(row[i]);
                    *signed = Ord::max(*signed, bits.cast_signed());
                    least[i] = Ord::min(least[i], bits);
                    most[i] = Ord::max(most[i], bits);
                }
            }
        }
    }
    Extremes { signed, least, most }
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
            fn min_rows<'a, const N: usize, const PARTS: usize, const LANES: usize>(
                lanes: &mut [Self; LANES],
                groups: impl Iterator<Item = [&'a [[Self; LANES]; N]; PARTS]>,
            ) {
                let kept = extremes(lanes, groups, <$ty>::to_bits);
                for (i, lane) in lanes.iter_mut().enumerate() {
                    let (signed, least, most) = (kept.signed[i], kept.least[i], kept.most[i]);
                    let ordered = if most >= SIGN { most } else { least };
                    let nan = signed > $infinity || most > $infinity | SIGN;
                    *lane = <$ty>::from_bits(if nan { $nan } else { ordered });
                }
            }
            #[inline(always)]
            fn max_rows<'a, const N: usize, const PARTS: usize, const LANES: usize>(
                lanes: &mut [Self; LANES],
                groups: impl Iterator<Item = [&'a [[Self; LANES]; N]; PARTS]>,
            ) {
                let kept = extremes(lanes, groups, <$ty>::to_bits);
                for (i, lane) in lanes.iter_mut().enumerate() {
                    let (signed, least, most) = (kept.signed[i], kept.least[i], kept.most[i]);
                    let ordered = if signed < 0 { least } else { signed.cast_unsigned() };
                    let nan = signed > $infinity || most > $infinity | SIGN;
                    *lane = <$ty>::from_bits(if nan { $nan } else { ordered });
                }
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
