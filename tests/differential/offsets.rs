//! Moments of elements that are far from 0 and close together. The result has the full precision of the elements.

use super::data::{self, Kind};
use super::{Case, check_right, interpreted, on_host};
use reduce_codegen::compile;
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;

/// Returns the exponent of the largest power of two to which a type can add whole numbers below 8 exactly.
fn highest(ty: Scalar) -> i32 {
    let of_floats = [(Scalar::F16, 7), (Scalar::Bf16, 4), (Scalar::F32, 20), (Scalar::F64, 49)];
    let of_float = of_floats.iter().find(|(float, _)| *float == ty);
    of_float.map_or(8 * ty.size() as i32 - 2, |&(_, exponent)| exponent)
}

/// Returns whole numbers below 8, added to an offset that is a power of two or its negative.
fn shifted(ty: Scalar, n: u64, exponent: i32, sign: i64) -> Lanes {
    let mut lanes = Lanes::splat(Value::from_bits(ty, 0), n as usize);
    for i in 0..n {
        let whole = sign * (1i64 << exponent) + (data::random(i) % 8) as i64;
        let value =
            if ty.is_float() { data::float(ty, whole as f64, 0) } else { Value::from_bits(ty, whole as u64) };
        lanes.set(i as usize, value);
    }
    lanes
}

#[test]
fn moments_keep_their_digits_at_any_offset() {
    let names = ["var", "std", "describe", "skewness", "kurtosis"];
    for (at, name) in names.into_iter().enumerate() {
        for ty in Scalar::ALL.into_iter().filter(|&ty| ty != Scalar::Bool) {
            let lists = [super::cases::LISTS[7], super::cases::LISTS[12], super::cases::LISTS[25]];
            let case = Case::new(compile(&super::cases::spec(name, ty, lists[at % 3])).unwrap());
            let least = if ty.is_signed() || ty.is_float() { -1 } else { 1 };
            for exponent in [0, highest(ty) / 2, highest(ty)] {
                for (n, sign) in [(1, 1), (2, least), (7, 1), (1000, least), (4099, 1)] {
                    let inputs = [shifted(ty, n, exponent, sign)];
                    let found = on_host(&case, &inputs);
                    assert_eq!(interpreted(&case, &inputs, n, true), found, "{name} of {ty}, n = {n}");
                    check_right(&case.program, name, Kind::Exact, &inputs, found.as_deref());
                }
            }
        }
    }
}
