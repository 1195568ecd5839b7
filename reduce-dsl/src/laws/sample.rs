//! The elements that laws are tried on: small numbers, numbers at the edges of their type, and numbers next to
//! the constants of an operation. The sample is deterministic.

use super::batch::Batch;
use super::condition::Condition;
use reduce_ir::constants::constant;
use reduce_ir::func::{Func, Node};
use reduce_ir::operation::Operation;
use reduce_ir::{Scalar, Value, bf16, f16};

/// Small numbers that add and multiply without rounding, in order of simplicity.
const SMALL: [f64; 18] =
    [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 4.0, 5.0, -5.0, 6.0, 7.0, 1.5, -1.5, 0.25, -0.75];
/// The number of leading entries that are drawn most often.
const SIMPLEST: usize = 6;
/// The positions of first elements: mostly low, and around the end of 32 bits.
const POSITIONS: [u64; 6] = [0, 0, 1, 1000, (1 << 32) - 2, 1 << 40];
/// The number of attempts to replace an element that does not satisfy the condition.
const REDRAWN: usize = 24;
/// The upper limit on positions. No memory holds that many elements.
const FARTHEST: u64 = 1 << 60;

/// The kind of elements to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Small numbers only.
    Small,
    /// Also NaN, infinities, −0, subnormals, the ends of a type, and arbitrary integers.
    Any,
}

/// Draws the elements of an operation.
#[derive(Debug)]
pub(super) struct Sampler<'a> {
    operation: &'a Operation,
    /// The constants of `map`, `op`, `fold` and the condition.
    constants: Vec<Value>,
    /// The condition on elements; `None` admits every element.
    condition: Option<Condition>,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(operation: &'a Operation, keep: Option<&Func>) -> Self {
        let functions = [Some(&operation.map), Some(&operation.combine), operation.fold.as_ref(), keep];
        let constants = functions.into_iter().flatten().flat_map(constants).collect();
        Sampler { operation, constants, condition: keep.map(|keep| Condition::new(operation, keep)) }
    }

    /// Returns the cases of a batch that the data can hold.
    pub(super) fn only(&self, batch: Batch) -> Batch {
        match &self.condition {
            Some(condition) => condition.only(batch),
            None => batch,
        }
    }

    /// Draws `len` cases of a shape and drops those that the data cannot hold.
    pub(super) fn draw(&self, shape: &[usize], kind: Kind, len: usize) -> Batch {
        let mut batch = Batch::zeros(self.operation, shape, len);
        let mut random = Random(shape.iter().fold(len as u64, |seed, &elements| seed * 31 + elements as u64));
        let positions = self.positions();
        (0..len).for_each(|lane| batch.place(lane, positions[random.below(positions.len())]));
        let (inputs, params) = (&self.operation.inputs, &self.operation.params);
        let values: Vec<_> = inputs.iter().chain(params).map(|given| self.values(given.ty)).collect();
        let scalars = batch.elements.len() * inputs.len();
        for (at, lanes) in batch.scalars().into_iter().enumerate() {
            let (values, kind) = match at.checked_sub(scalars) {
                None => (&values[at % inputs.len()], kind),
                Some(param) => (&values[inputs.len() + param], Kind::Small),
            };
            (0..len).for_each(|lane| lanes.set(lane, values.draw(kind, &mut random)));
        }
        self.redraw(&mut batch, &values, kind, &mut random);
        self.only(batch)
    }

    /// Replaces elements that do not satisfy the condition. Each replacement moves on to the next position,
    /// because the condition may depend on the position alone.
    fn redraw(&self, batch: &mut Batch, values: &[Values], kind: Kind, random: &mut Random) {
        let Some(condition) = &self.condition else { return };
        for at in 0..batch.elements.len() {
            for _ in 0..REDRAWN {
                let of_element = condition.of(&batch.elements[at], &batch.params, batch.len);
                let absent: Vec<_> = (0..batch.len).filter(|&lane| !of_element[lane]).collect();
                for &lane in &absent {
                    batch.move_on(at, lane);
                    let inputs = batch.elements[at].inputs.iter_mut().zip(values);
                    inputs.for_each(|(input, values)| input.set(lane, values.draw(kind, random)));
                }
                if absent.is_empty() {
                    break;
                }
            }
        }
    }

    /// Returns sample values of a type, in order of simplicity.
    pub(super) fn simplest(&self, ty: Scalar) -> Vec<Value> {
        let Values { small, special, near } = self.values(ty);
        [small, special, near].concat()
    }

    fn values(&self, ty: Scalar) -> Values {
        let (small, special) = (small(ty), special(ty));
        let mut near: Vec<Value> = Vec::new();
        for value in self.constants.iter().flat_map(|&constant| next_to(constant, ty)) {
            if ![&small, &special, &near].iter().any(|known| known.contains(&value)) {
                near.push(value);
            }
        }
        Values { small, special, near }
    }

    /// Returns the candidates for the position of the first element.
    fn positions(&self) -> Vec<u64> {
        let near = self.values(Scalar::U64).near.into_iter().map(Value::bits);
        POSITIONS.into_iter().chain(near.filter(|&position| position < FARTHEST)).collect()
    }
}

/// Returns sample values of a type without the constants of functions, in order of simplicity.
pub(super) fn simplest(ty: Scalar) -> Vec<Value> {
    [small(ty), special(ty)].concat()
}

fn constants(func: &Func) -> Vec<Value> {
    let constant = |node| if let Node::Const(value) = node { Some(value) } else { None };
    func.lines().iter().filter_map(|line| constant(line.node)).collect()
}

/// Returns a constant in that type, the values below and above it, and the negatives of the three.
fn next_to(constant: Value, ty: Scalar) -> Vec<Value> {
    let float = constant.as_f64().or(constant.as_int().map(|whole| whole as f64));
    let Some(float) = float.filter(|float| float.is_finite()) else { return Vec::new() };
    let whole = constant.as_int().unwrap_or(i128::from(float as i64));
    let number = |sign: i8, step: i8| match ty.is_float() {
        true => Some(of_number(ty, f64::from(sign) * (float + f64::from(step)))),
        false => of_whole(ty, i128::from(sign) * (whole + i128::from(step))),
    };
    [1, -1].iter().flat_map(|&sign| [0, -1, 1].map(|step| number(sign, step))).flatten().collect()
}

/// The sample values of one type.
struct Values {
    small: Vec<Value>,
    special: Vec<Value>,
    /// Values next to constants.
    near: Vec<Value>,
}

impl Values {
    /// Draws one of the simplest values half of the time, so that equal values meet.
    fn draw(&self, kind: Kind, random: &mut Random) -> Value {
        let ty = self.small[0].ty();
        if !self.near.is_empty() && random.below(4) == 0 {
            return self.near[random.below(self.near.len())];
        }
        match random.below(8) {
            0..4 => self.small[random.below(SIMPLEST.min(self.small.len()))],
            4 | 5 if kind == Kind::Any => self.special[random.below(self.special.len())],
            6 if kind == Kind::Any && !ty.is_float() => Value::from_bits(ty, random.next()),
            _ => self.small[random.below(self.small.len())],
        }
    }
}

fn small(ty: Scalar) -> Vec<Value> {
    if ty == Scalar::Bool {
        return [false, true].map(Value::of).to_vec();
    }
    let holds = |x: &f64| ty.is_float() || x.fract() == 0.0 && (*x >= 0.0 || ty.is_signed());
    SMALL.into_iter().filter(holds).map(|x| of_number(ty, x)).collect()
}

/// Converts to the nearest value of that type.
fn of_number(ty: Scalar, x: f64) -> Value {
    match ty {
        Scalar::F16 => Value::of(f16::from_f64(x)),
        Scalar::Bf16 => Value::of(bf16::from_f64(x)),
        Scalar::F32 => Value::of(x as f32),
        Scalar::F64 => Value::of(x),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            Value::from_bits(ty, (x as i64).cast_unsigned())
        }
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Value::from_bits(ty, x as u64),
    }
}

/// Returns the integer in that type, if it fits.
fn of_whole(ty: Scalar, x: i128) -> Option<Value> {
    let value = Value::from_bits(ty, x as u64);
    (value.as_int() == Some(x)).then_some(value)
}

fn special(ty: Scalar) -> Vec<Value> {
    if ty == Scalar::Bool {
        return vec![Value::of(true)];
    }
    let bits = 8 * ty.size() as u64;
    let named = ["MAX", "MIN", "INFINITY", "NEG_INFINITY", "NAN", "MIN_POSITIVE"];
    let mut special: Vec<_> = named.iter().filter_map(|name| constant(ty, name)).collect();
    // −0, the smallest subnormal and the float above 2; for integers, values near the ends and a power of two
    // between.
    let patterns = if ty.is_float() {
        [1 << (bits - 1), 1, (1 << (bits - 2)) + 1]
    } else {
        [(1 << (bits - 1)) + 1, (1 << (bits - 1)) - 2, 1 << (bits / 2)]
    };
    special.extend(patterns.map(|bits| Value::from_bits(ty, bits)));
    special
}

/// A pseudo-random generator (SplitMix64).
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
