//! The elements that laws are tried on: small numbers, and those at the edges of their type. The same every time.

use super::batch::Batch;
use crate::constants::constant;
use crate::operation::Operation;
use crate::{Scalar, Value, bf16, f16};

/// Small numbers that add and multiply without rounding, the simplest first.
const SMALL: [f64; 18] =
    [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 4.0, 5.0, -5.0, 6.0, 7.0, 1.5, -1.5, 0.25, -0.75];
/// How many of them are the simplest.
const SIMPLEST: usize = 6;
/// Where positions begin: mostly at the front, and where 32 bits end.
const POSITIONS: [u64; 6] = [0, 0, 1, 1000, (1 << 32) - 2, 1 << 40];

/// Which elements are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Small numbers.
    Small,
    /// Also NaN, infinities, −0, subnormals, the ends of a type, any integer.
    Any,
}

/// So many cases of a shape.
pub(super) fn draw(operation: &Operation, shape: &[usize], kind: Kind, len: usize) -> Batch {
    let mut batch = Batch::zeros(operation, shape, len);
    let mut random = Random(shape.iter().fold(len as u64, |seed, &elements| seed * 31 + elements as u64));
    (0..len).for_each(|lane| batch.place(lane, POSITIONS[random.below(POSITIONS.len())]));
    let inputs = batch.elements.len() * operation.inputs.len();
    for (at, lanes) in batch.scalars().into_iter().enumerate() {
        let kind = if at < inputs { kind } else { Kind::Small };
        let values = Values { small: small(lanes.ty()), special: special(lanes.ty()) };
        (0..len).for_each(|lane| lanes.set(lane, values.draw(kind, &mut random)));
    }
    batch
}

/// Values of a type, the simplest first.
pub(super) fn simplest(ty: Scalar) -> Vec<Value> {
    small(ty).into_iter().chain(special(ty)).collect()
}

/// What scalars of a type are drawn from.
struct Values {
    small: Vec<Value>,
    special: Vec<Value>,
}

impl Values {
    /// Half of the time one of the simplest, so that equal ones meet.
    fn draw(&self, kind: Kind, random: &mut Random) -> Value {
        let ty = self.small[0].ty();
        match random.below(8) {
            0..4 => self.small[random.below(SIMPLEST.min(self.small.len()))],
            4 | 5 if kind == Kind::Any => self.special[random.below(self.special.len())],
            6 if kind == Kind::Any && !ty.is_float() => Value::from_bits(ty, random.next()),
            _ => self.small[random.below(self.small.len())],
        }
    }
}

fn small(ty: Scalar) -> Vec<Value> {
    let is_whole = |x: &f64| x.fract() == 0.0 && (*x >= 0.0 || ty.is_signed());
    match ty {
        Scalar::F16 => SMALL.map(|x| Value::of(f16::from_f64(x))).to_vec(),
        Scalar::Bf16 => SMALL.map(|x| Value::of(bf16::from_f64(x))).to_vec(),
        Scalar::F32 => SMALL.map(|x| Value::of(x as f32)).to_vec(),
        Scalar::F64 => SMALL.map(Value::of).to_vec(),
        Scalar::Bool => [false, true].map(Value::of).to_vec(),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::U8 => whole(ty, is_whole),
        Scalar::U16 | Scalar::U32 | Scalar::U64 => whole(ty, is_whole),
    }
}

fn whole(ty: Scalar, is_whole: impl Fn(&f64) -> bool) -> Vec<Value> {
    SMALL.iter().filter(|x| is_whole(x)).map(|&x| Value::from_bits(ty, (x as i64).cast_unsigned())).collect()
}

fn special(ty: Scalar) -> Vec<Value> {
    if ty == Scalar::Bool {
        return vec![Value::of(true)];
    }
    let bits = 8 * ty.size() as u64;
    let named = ["MAX", "MIN", "INFINITY", "NEG_INFINITY", "NAN", "MIN_POSITIVE"];
    let mut special: Vec<_> = named.iter().filter_map(|name| constant(ty, name)).collect();
    // −0, the smallest subnormal, and a number that is next to no other; or integers near the ends.
    let patterns = if ty.is_float() {
        [1 << (bits - 1), 1, (1 << (bits - 2)) + 1]
    } else {
        [(1 << (bits - 1)) + 1, (1 << (bits - 1)) - 2, 1 << (bits / 2)]
    };
    special.extend(patterns.map(|bits| Value::from_bits(ty, bits)));
    special
}

/// Numbers that look random (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
