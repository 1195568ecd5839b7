//! What each operation on scalars means, once.
//!
//! Host, interpreter and (through the CUDA printer, which is tested against this file) every GPU agree
//! with these functions bit for bit. Integers wrap. Float arithmetic is IEEE round-to-nearest-even, never
//! contracted. `min` and `max` propagate NaN and order −0 below +0 (IEEE 754-2019 `minimum`, `maximum`).
//! Comparisons are IEEE: NaN is unordered and −0 equals +0.

use crate::Scalar;
use half::f16;

/// A Rust type that is one of the scalar types of the language.
pub trait Element: Copy + Default + PartialEq + Send + Sync + 'static {
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

/// The operations of everything that has an order: numbers, and `f16`, which has no arithmetic of its own.
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
}

/// The arithmetic of numbers.
pub trait Number: Order {
    /// `self + other`.
    fn add(self, other: Self) -> Self;
    /// `self - other`.
    fn sub(self, other: Self) -> Self;
    /// `self * other`.
    fn mul(self, other: Self) -> Self;
    /// `-self`.
    fn neg(self) -> Self;
    /// The magnitude; the smallest signed integer wraps to itself.
    fn abs(self) -> Self;
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
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // Equal operands have equal bits or are zeros: `|` keeps the sign of −0.
                let tie = <$ty>::from_bits(self.to_bits() | other.to_bits());
                let least = if self < other { self } else { other };
                let ordered = if self == other { tie } else { least };
                if self != self { self } else { ordered }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // Equal operands have equal bits or are zeros: `&` drops the sign of −0.
                let tie = <$ty>::from_bits(self.to_bits() & other.to_bits());
                let greatest = if self > other { self } else { other };
                let ordered = if self == other { tie } else { greatest };
                if self != self { self } else { ordered }
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
            fn neg(self) -> Self {
                -self
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$ty>::from_bits(self.to_bits() & (<$bits>::MAX >> 1))
            }
        }
    };
}

float!(f32, F32, u32, 0x7fc0_0000);
float!(f64, F64, u64, 0x7ff8_0000_0000_0000);

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
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $abs(self)
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

integer!(i32, I32, u32, i32::wrapping_abs);
integer!(u32, U32, u32, std::convert::identity);
integer!(i64, I64, u64, i64::wrapping_abs);
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

impl Element for f16 {
    const TY: Scalar = Scalar::F16;
    fn to_bits64(self) -> u64 {
        u64::from(self.to_bits())
    }
    fn from_bits64(bits: u64) -> Self {
        f16::from_bits(bits as u16)
    }
    select!(u16, f16::from_bits, f16::to_bits);
}

/// The exact value of a `f16`; a NaN stays a NaN. On bits and without branches, so that loops over it
/// vectorise on every machine; `half` asks the processor what it can do for each element.
#[inline(always)]
pub fn widen(x: f16) -> f32 {
    const REBIAS: f32 = f32::from_bits((127 + 112) << 23);
    let bits = u32::from(x.to_bits());
    let magnitude = (bits & 0x7fff) << 13;
    let finite = (f32::from_bits(magnitude) * REBIAS).to_bits();
    let special = magnitude | f32::INFINITY.to_bits();
    let is_special = bits & 0x7c00 == 0x7c00;
    f32::from_bits((if is_special { special } else { finite }) | (bits & 0x8000) << 16)
}

/// The bits of a `f16` as an integer of the same order, −0 below +0.
#[inline(always)]
fn ordinal(x: f16) -> i16 {
    let bits = x.to_bits().cast_signed();
    bits ^ ((bits >> 15) & i16::MAX)
}

impl Order for f16 {
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let least = if ordinal(self) <= ordinal(other) { self } else { other };
        let ordered = if Order::is_nan(other) { other } else { least };
        if Order::is_nan(self) { self } else { ordered }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let greatest = if ordinal(self) >= ordinal(other) { self } else { other };
        let ordered = if Order::is_nan(other) { other } else { greatest };
        if Order::is_nan(self) { self } else { ordered }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        widen(self) < widen(other)
    }
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        widen(self) <= widen(other)
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.to_bits() & 0x7fff > 0x7c00
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        if Order::is_nan(self) { f16::from_bits(0x7e00) } else { self }
    }
}
