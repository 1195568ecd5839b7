//! The operations of integers and `bool`.

use super::{Bits, Element, Integer, Number, Order, select};
use crate::Scalar;

macro_rules! integer {
    ($ty:ty, $scalar:ident, $unsigned:ty, $abs:expr) => {
        impl Element for $ty {
            const TY: Scalar = Scalar::$scalar;
            fn to_bits64(self) -> u64 {
                self as $unsigned as u64
            }
            fn from_bits64(bits: u64) -> Self {
                bits as $ty
            }
            select!($ty, std::convert::identity, std::convert::identity);
        }

        impl Order for $ty {
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Ord::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Ord::max(self, other)
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
                false
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                self
            }
        }

        impl Number for $ty {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $abs(self)
            }
        }

        impl Integer for $ty {
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn shl(self, distance: u32) -> Self {
                self.wrapping_shl(distance)
            }
            #[inline(always)]
            fn shr(self, distance: u32) -> Self {
                self.wrapping_shr(distance)
            }
            #[inline(always)]
            fn count_ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                self.leading_zeros()
            }
            #[inline(always)]
            fn trailing_zeros(self) -> u32 {
                self.trailing_zeros()
            }
        }

        bits!($ty);
    };
}

macro_rules! bits {
    ($ty:ty) => {
        impl Bits for $ty {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
        }
    };
}

integer!(i8, I8, u8, i8::wrapping_abs);
integer!(i16, I16, u16, i16::wrapping_abs);
integer!(i32, I32, u32, i32::wrapping_abs);
integer!(i64, I64, u64, i64::wrapping_abs);
integer!(u8, U8, u8, std::convert::identity);
integer!(u16, U16, u16, std::convert::identity);
integer!(u32, U32, u32, std::convert::identity);
integer!(u64, U64, u64, std::convert::identity);
bits!(bool);

impl Element for bool {
    const TY: Scalar = Scalar::Bool;
    fn to_bits64(self) -> u64 {
        u64::from(self)
    }
    fn from_bits64(bits: u64) -> Self {
        bits & 1 == 1
    }
    #[inline(always)]
    fn select(cond: bool, a: Self, b: Self) -> Self {
        (cond & a) | (!cond & b)
    }
}
