//! The elements that the host is tested on.

use crate::splitmix::Random;
use reduce_ir::{Scalar, Value, bf16, f16};

/// The kind of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Data {
    /// Finite, of moderate size, and inexact, so that the order of additions shows.
    Finite,
    /// Zeros of both signs, subnormals and ones, with many ties.
    Small,
    /// Every bit pattern, often infinities and NaN.
    Bits,
}

fn float(ty: Scalar, x: f64) -> u64 {
    match ty {
        Scalar::F16 => Value::of(f16::from_f64(x)).bits(),
        Scalar::Bf16 => Value::of(bf16::from_f64(x)).bits(),
        Scalar::F32 => Value::of(x as f32).bits(),
        Scalar::F64 => Value::of(x).bits(),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => x as i64 as u64,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => x as i64 as u64,
    }
}

/// Returns the next element.
pub(crate) fn element(ty: Scalar, data: Data, random: &mut Random) -> Value {
    let mut next = || random.bits();
    let sign = (next() & 1) << (8 * ty.size() - 1);
    let bits = match data {
        Data::Finite => float(ty, ((next() % 4001) as f64 - 2000.0) / (7 << (next() % 8)) as f64),
        Data::Small => sign | [0, 0, 0, 1, 2, float(ty, 1.0)][next() as usize % 6],
        Data::Bits if next().is_multiple_of(16) => {
            sign | float(ty, [f64::NAN, f64::INFINITY][next() as usize % 2])
        }
        Data::Bits => next() << 8 ^ next(),
    };
    Value::from_bits(ty, bits)
}
