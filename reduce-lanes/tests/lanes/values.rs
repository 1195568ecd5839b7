//! Values to try.

use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;

/// Zeros, ones, the ends of the range, infinities, NaN of both kinds and signs, subnormals, and bits at random.
pub(crate) fn special(ty: Scalar) -> Vec<Value> {
    let (size, top) = (8 * ty.size() as u32, 1u64 << (8 * ty.size() as u32 - 1));
    let exponent = match ty {
        Scalar::F16 => 0x7c00,
        Scalar::Bf16 => 0x7f80,
        Scalar::F32 => 0x7f80_0000,
        Scalar::F64 => 0x7ff0_0000_0000_0000,
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => 1 << (size - 2),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => 1 << (size - 2),
    };
    let plain =
        [0, 1, 2, 3, exponent, exponent - 1, exponent + 1, exponent >> 1, (exponent >> 1) + 5, top - 1];
    let random = (1..=7u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - size));
    let bits = plain.into_iter().chain(random).flat_map(|bits| [bits, bits ^ top]);
    bits.map(|bits| Value::from_bits(ty, if ty == Scalar::Bool { bits & 1 } else { bits })).collect()
}

/// Every combination of special values of those types, one vector for each.
pub(crate) fn combinations(types: &[Scalar]) -> Vec<Lanes> {
    let values: Vec<_> = types.iter().map(|&ty| special(ty)).collect();
    let len = values.iter().map(Vec::len).product::<usize>();
    let mut lanes: Vec<_> = types.iter().map(|&ty| Lanes::splat(Value::from_bits(ty, 0), len)).collect();
    for at in 0..len {
        let mut rest = at;
        for (lanes, values) in lanes.iter_mut().zip(&values) {
            lanes.set(at, values[rest % values.len()]);
            rest /= values.len();
        }
    }
    lanes
}

pub(crate) fn same(a: Value, b: Value) -> bool {
    a == b || a.is_nan() && b.is_nan()
}
