//! Generated elements for a reduction, the same at the same position, and params.

use crate::{Cutting, Data};
use reduce_ir::axes::{Keys, Others};
use reduce_ir::func::Param;
use reduce_ir::operation::{Operation, Order};
use reduce_ir::{Scalar, Value, bf16, f16};
use reduce_lanes::Lanes;
use std::ops::Range;

/// Returns zeros as the params of a call: the cost of a reduction does not depend on them.
pub fn params(operation: &Operation) -> Vec<Value> {
    operation.given_params().iter().map(|param| Value::from_bits(param.ty, 0)).collect()
}

/// Generates elements of each input, given their numbers. If the order of combinations may change from run to run,
/// all elements are 1 and -1: every order then gives the same bits.
pub fn lanes(operation: &Operation, counts: impl Iterator<Item = u64>) -> Vec<Lanes> {
    let exact = operation.order == Order::Any && !operation.exact;
    let inputs = operation.inputs.iter().zip(counts);
    let lanes = |(from, (input, count)): (u64, (&Param, u64))| generate(input.ty, from..from + count, exact);
    (0u64..).map(|input| input << 40).zip(inputs).map(lanes).collect()
}

/// Generates the offsets of segments that cut n elements: short, empty and longer ones, and a last one with half of the elements or more.
pub fn offsets(n: u64) -> Vec<u64> {
    const LENGTHS: [u64; 14] = [3, 0, 17, 1, 40, 8, 5, 120, 2, 64, 1, 33, 0, 200];
    let mut offsets = vec![0];
    let mut end = 0;
    for length in LENGTHS {
        end += length;
        if end > n / 2 {
            break;
        }
        offsets.push(end);
    }
    offsets.push(n);
    offsets
}

/// Generates keys of n elements: a group has the more elements, the less its number is. With `others: drop`, one key in 16 is no group.
pub fn keys(ty: Scalar, keys: Keys, n: u64) -> Lanes {
    let most = if ty == Scalar::Bool {
        2
    } else {
        1u64 << (8 * ty.size() as u32 - u32::from(ty.is_signed())).min(63)
    };
    let (groups, others) = (keys.groups.clamp(1, most), keys.others == Others::Drop && keys.groups < most);
    let key = |i: u64| {
        let [a, b] = [1u64, 2].map(|draw| random(draw << 50 | i) % groups);
        if others && random(3 << 50 | i).is_multiple_of(16) { groups } else { a.min(b) }
    };
    let mut lanes = Lanes::empty(ty);
    lanes.resize(n as usize);
    (0..n).for_each(|i| lanes.set(i as usize, Value::from_bits(ty, key(i))));
    lanes
}

/// Returns a note that says what is generated besides the elements.
pub fn note(data: &Data) -> &'static str {
    match data.cut {
        Cutting::Even | Cutting::Keys { are_given: false } => "The elements are generated.",
        Cutting::Segments(_) => "The elements and the offsets are generated.",
        Cutting::Keys { are_given: true } => "The elements and their keys are generated.",
    }
}

fn generate(ty: Scalar, places: Range<u64>, exact: bool) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize((places.end - places.start) as usize);
    let float = if exact { sign } else { mixed_digits };
    places.enumerate().for_each(|(at, i)| lanes.set(at, element(ty, i, float)));
    lanes
}

fn element(ty: Scalar, i: u64, float: fn(u64) -> f64) -> Value {
    match ty {
        Scalar::F16 => Value::of(f16::from_f64(float(i))),
        Scalar::Bf16 => Value::of(bf16::from_f64(float(i))),
        Scalar::F32 => Value::of(float(i) as f32),
        Scalar::F64 => Value::of(float(i)),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            Value::from_bits(ty, random(i))
        }
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Value::from_bits(ty, random(i)),
    }
}

/// Returns a random x in 1 .. 2 at an even position and 1 / x at the next one, each with a random sign. So neither
/// sums nor products leave the range of the type.
fn mixed_digits(i: u64) -> f64 {
    let x = 1.0 + (random(i & !1) >> 12) as f64 / (1u64 << 52) as f64;
    sign(i) * if i.is_multiple_of(2) { x } else { 1.0 / x }
}

fn sign(i: u64) -> f64 {
    if random(i) & 1 == 0 { 1.0 } else { -1.0 }
}

/// Returns SplitMix64 (Steele, Lea, Flood 2014) of a position.
fn random(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
