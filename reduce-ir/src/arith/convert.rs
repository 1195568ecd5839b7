//! Conversions with the semantics of Rust's `as`: integers keep their low bits, floats round to nearest even, conversions from
//! floats to integers round towards zero and saturate, and NaN becomes 0.

use half::{bf16, f16};

/// The conversion `self as T`.
pub trait As<T> {
    /// Returns the value in the other type.
    fn to(self) -> T;
}

/// Implements the conversion of each type in the first list to each type in the second.
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

/// Returns the exact value of a `f16`; a NaN stays a NaN. It works on bits without branches, so that loops over it vectorise
/// on every machine; the crate `half` checks the features of the processor for each element.
#[inline(always)]
pub fn widen(x: f16) -> f32 {
    const REBIAS: f32 = f32::from_bits((127 + 112) << 23);
    const EXPONENT: u32 = 0x7c00 << 13;
    // The cast extends the sign over the bits above the exponent; the mask keeps the highest of them.
    let bits = i32::from(x.to_bits().cast_signed()).cast_unsigned() << 13 & 0x8fff_ffff;
    let special = if bits & EXPONENT == EXPONENT { f32::INFINITY.to_bits() } else { 0 };
    f32::from_bits((f32::from_bits(bits) * REBIAS).to_bits() | special)
}

/// Returns the exact value of a `bf16`, whose bits are the upper half of the `f32`.
#[inline(always)]
pub fn widen_bf16(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}
