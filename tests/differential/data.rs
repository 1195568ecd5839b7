//! Elements to reduce; each is a function of its position.

pub(crate) use super::splitmix::random;

use reduce_ir::{Scalar, Value, bf16, f16};
use reduce_lanes::Lanes;
use reduce_runtime::Strided;

/// A kind of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Floats: small integers, whose sums and products are exact in every order. Integers: all bits.
    Exact,
    /// Floats: as `Exact`. Integers: −2 … 2, whose sums of squares are exact in `f64`.
    Small,
    /// Floats: zeros of both signs, which `min` and `max` order. Integers: zeros and ones.
    Zeros,
    /// Floats: all digits, both signs. Integers: all bits.
    Rounding,
    /// Small integers, mixed with zeros of both signs, infinities, NaN, subnormals and extremes.
    Special,
}

impl Kind {
    /// The kinds that suit every operator.
    pub(crate) const ALL: [Kind; 4] = [Kind::Exact, Kind::Zeros, Kind::Rounding, Kind::Special];

    /// Returns whether every order of a float sum or product is exact.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Kind::Exact | Kind::Small | Kind::Zeros)
    }
}

/// Returns the first n elements of the input at `place`.
pub(crate) fn elements(ty: Scalar, n: u64, kind: Kind, place: u64) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(n as usize);
    (0..n).for_each(|i| lanes.set(i as usize, element(ty, kind, random(i + (place << 40)))));
    lanes
}

pub(crate) fn prefix(lanes: &Lanes, n: usize) -> Lanes {
    let mut some = Lanes::empty(lanes.ty());
    some.extend(lanes.borrow().slice(0..n));
    some
}

/// Spreads lanes in memory by `step`, after `skipped` other lanes and with others between them. The other lanes have all
/// bits set.
pub(crate) fn spread(lanes: &Lanes, skipped: usize, step: isize) -> Strided<Lanes> {
    let between = Value::from_bits(lanes.ty(), u64::MAX);
    let (len, distance) = (lanes.len(), step.unsigned_abs());
    let mut data = Lanes::splat(between, skipped + len * distance);
    let offset = if step < 0 { skipped + len.saturating_sub(1) * distance } else { skipped };
    let places = Strided { data: (), offset, step, len };
    (0..len).for_each(|i| data.set(places.place(i).unwrap(), lanes.get(i)));
    places.with_data(data)
}

fn element(ty: Scalar, kind: Kind, bits: u64) -> Value {
    match kind {
        Kind::Special if bits.is_multiple_of(16) => special(ty, (bits >> 8) as usize % 8),
        Kind::Exact | Kind::Special => float(ty, small(bits), bits),
        Kind::Small if ty.is_signed() => Value::from_bits(ty, ((bits >> 16) % 5).wrapping_sub(2)),
        Kind::Small if ty.is_unsigned() => Value::from_bits(ty, (bits >> 16) % 3),
        Kind::Small => float(ty, small(bits), bits),
        Kind::Zeros => float(ty, if bits & 1 == 0 { 0.0 } else { -0.0 }, bits & 1),
        Kind::Rounding => float(ty, (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0, bits),
    }
}

/// Returns −1 or 1, and sometimes 2, 0 or −0. The product of a thousand of them is exact too.
fn small(bits: u64) -> f64 {
    match (bits >> 16) % 1024 {
        0..8 => 2.0,
        8 => 0.0,
        9 => -0.0,
        odd if odd % 2 == 1 => -1.0,
        _ => 1.0,
    }
}

/// Converts a float to `ty`, or the bits if `ty` is an integer type.
pub(crate) fn float(ty: Scalar, value: f64, bits: u64) -> Value {
    match ty {
        Scalar::F16 => Value::of(f16::from_f64(value)),
        Scalar::Bf16 => Value::of(bf16::from_f64(value)),
        Scalar::F32 => Value::of(value as f32),
        Scalar::F64 => Value::of(value),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => Value::from_bits(ty, bits),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Value::from_bits(ty, bits),
    }
}

fn special(ty: Scalar, which: usize) -> Value {
    let floats = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0];
    let integers = [0, 1, u64::MAX, u64::MAX >> 1, 1 << 63, (1 << 31) - 1, 1 << 31, 2];
    match (ty.is_float(), which) {
        (true, 0..6) => float(ty, floats[which], 0),
        // The smallest subnormal, and the greatest finite value.
        (true, 6) => Value::from_bits(ty, 1),
        (true, _) => reduce_ir::constants::constant(ty, "MAX").unwrap(),
        (false, _) => Value::from_bits(ty, integers[which]),
    }
}
