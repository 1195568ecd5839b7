//! Classes of elements. Each exposes another kind of error. An element depends on its position only, on every
//! machine.

use super::splitmix::random;
use reduce_ir::constants::{self, constant};
use reduce_ir::{Scalar, Value, bf16, f16};
use reduce_lanes::Lanes;
use std::fmt;

/// A class of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Floats between −2 and 2 with all their digits, so that every order of a sum rounds differently, and a few zeros;
    /// integers of all bits.
    Uniform,
    /// Floats of many magnitudes, each followed by about its negative; integers and their negatives.
    Cancelling,
    /// Elements of `Uniform`, mixed with NaN, infinities, zeros of both signs, subnormals and the ends of the range.
    Special,
    /// Floats below the smallest normal one, of both signs, and a few just above; integers from 0 to 3.
    Subnormal,
    /// NaN of both signs and all payloads, quiet and signalling; integers with all bits set.
    Nan,
    /// Zeros of both signs; 0 and 1.
    Zeros,
    /// Infinities: for the first thousands of elements of one sign, then of both; the ends of the range.
    Infinite,
}

impl Class {
    pub(crate) const ALL: [Class; 7] = [
        Class::Uniform,
        Class::Cancelling,
        Class::Special,
        Class::Subnormal,
        Class::Nan,
        Class::Zeros,
        Class::Infinite,
    ];

    /// Returns the first n elements of the input at `place`.
    pub(crate) fn elements(self, ty: Scalar, n: usize, place: u64) -> Lanes {
        let mut lanes = Lanes::empty(ty);
        lanes.resize(n);
        (0..n).for_each(|i| lanes.set(i, self.element(ty, i as u64 + (place << 40))));
        lanes
    }

    fn element(self, ty: Scalar, i: u64) -> Value {
        let bits = random(i.wrapping_sub(1));
        if ty.is_float() { self.float(ty, i, bits) } else { self.integer(ty, i, bits) }
    }

    fn float(self, ty: Scalar, i: u64, bits: u64) -> Value {
        let sign = bits >> 63 << (8 * ty.size() - 1);
        let with_sign = |name| {
            let magnitude = constant(ty, name).map_or(0, Value::bits);
            Value::from_bits(ty, magnitude | sign)
        };
        match self {
            Class::Uniform => uniform(ty, bits),
            Class::Cancelling => cancelling(ty, i),
            Class::Special if bits.is_multiple_of(64) => {
                let names = ["NAN", "INFINITY", "MAX", "MIN_POSITIVE", "0"];
                match (bits >> 8) as usize % 6 {
                    5 => Class::Subnormal.float(ty, i, bits),
                    which => with_sign(names[which]),
                }
            }
            Class::Special => uniform(ty, bits),
            // All fractions of the exponent 0, and sometimes of the next exponent.
            Class::Subnormal => {
                let least = constant(ty, "MIN_POSITIVE").map_or(1, Value::bits);
                let next = if bits.is_multiple_of(16) { least } else { 0 };
                Value::from_bits(ty, sign | next | ((bits >> 8) % least))
            }
            Class::Nan => {
                let infinity = constant(ty, "INFINITY").map_or(0, Value::bits);
                let least = constant(ty, "MIN_POSITIVE").map_or(2, Value::bits);
                Value::from_bits(ty, sign | infinity | (1 + (bits >> 8) % (least - 1)))
            }
            Class::Zeros => with_sign("0"),
            Class::Infinite if i % (1 << 40) < 3000 => {
                constant(ty, "NEG_INFINITY").unwrap_or(constants::zero(ty))
            }
            Class::Infinite => with_sign("INFINITY"),
        }
    }

    fn integer(self, ty: Scalar, i: u64, bits: u64) -> Value {
        let end = |bits: u64| if bits & 1 == 0 { constants::least(ty) } else { constants::greatest(ty) };
        let bits = match self {
            Class::Special if bits.is_multiple_of(64) => return end(bits >> 8),
            Class::Infinite => return end(bits >> 8),
            Class::Uniform | Class::Special => bits,
            Class::Cancelling if i.is_multiple_of(2) => random(i | 1),
            Class::Cancelling => random(i).wrapping_neg(),
            Class::Subnormal => bits >> 62,
            Class::Nan => u64::MAX,
            Class::Zeros => bits & 1,
        };
        Value::from_bits(ty, bits)
    }
}

/// Returns a uniform element. 16-bit floats are exact, because conversions of `half` round differently on different
/// processors.
fn uniform(ty: Scalar, bits: u64) -> Value {
    let digits = match ty.size() {
        2 if ty == Scalar::F16 => 11,
        2 => 7,
        _ => 53,
    };
    float(ty, (bits >> (64 - digits)) as f64 / (1u64 << digits) as f64 * 4.0 - 2.0)
}

/// Returns, at an even position, a number between 2⁻¹² and 2¹²; at the next position its negative, sometimes with a small
/// difference.
fn cancelling(ty: Scalar, i: u64) -> Value {
    let pair = random(i | 1);
    let digits = if ty.is_half() { 5 } else { 45 };
    let fraction = (pair >> (64 - digits)) as f64 / (1u64 << digits) as f64;
    let size = 2f64.powi((pair % 24) as i32 - 12) * (1.0 + fraction);
    let size = if pair & 32 == 0 { size } else { -size };
    match (i % 2, random(i) & 64) {
        (0, _) => float(ty, size),
        (_, 0) => float(ty, -size),
        _ => float(ty, -size * 1.5),
    }
}

/// Converts a float. For 16-bit types it must be exact.
fn float(ty: Scalar, value: f64) -> Value {
    match ty.size() {
        2 if ty == Scalar::F16 => Value::of(f16::from_f32(value as f32)),
        2 => Value::of(bf16::from_f32(value as f32)),
        4 => Value::of(value as f32),
        _ => Value::of(value),
    }
}

/// The name in the golden bits, such as `uniform`.
impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}
