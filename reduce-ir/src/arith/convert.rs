//! Conversions, as Rust's `as`: integers keep their low bits, floats round to nearest even, floats become integers
//! towards zero and saturating, and NaN becomes 0.

use half::{bf16, f16};

/// `self as T`.
pub trait As<T> {
    /// The value in the other type.
    fn to(self) -> T;
}

/// Every type into every other.
macro_rules! conversions {
    ([$($from:ty)*] $to:tt) => {
        $(conversions!(@from $from, $to);)*
    };
    (@from $from:ty, [$($to:ty)*]) => {
        $(impl As<$to> for $from {
            #[inline(always)]
            fn to(self) -> $to {
                self as $to
            }
        })*
    };
}

conversions!([f32 f64 i8 i16 i32 i64 u8 u16 u32 u64] [f32 f64 i8 i16 i32 i64 u8 u16 u32 u64]);
conversions!([bool] [i8 i16 i32 i64 u8 u16 u32 u64]);

impl As<f32> for f16 {
    #[inline(always)]
    fn to(self) -> f32 {
        widen(self)
    }
}

impl As<f32> for bf16 {
    #[inline(always)]
    fn to(self) -> f32 {
        widen_bf16(self)
    }
}

/// The exact value of a `f16`; a NaN stays a NaN. On bits and without branches, so that loops over it
/// vectorise on every machine; `half` asks the processor what it can do for each element.
#[inline(always)]
pub fn widen(x: f16) -> f32 {
    const REBIAS: f32 = f32::from_bits((127 + 112) << 23);
    const EXPONENT: u32 = 0x7c00 << 13;
    // The sign spreads over the bits above the exponent, and is kept in the highest one.
    let bits = i32::from(x.to_bits().cast_signed()).cast_unsigned() << 13 & 0x8fff_ffff;
    let special = if bits & EXPONENT == EXPONENT { f32::INFINITY.to_bits() } else { 0 };
    f32::from_bits((f32::from_bits(bits) * REBIAS).to_bits() | special)
}

/// The exact value of a `bf16`: its bits are the upper half.
#[inline(always)]
pub fn widen_bf16(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}
