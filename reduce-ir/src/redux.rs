//! What 32 accumulators combine to, where one instruction of the hardware finds it: `redux.sync` (PTX ISA, sm_80).
//!
//! It adds, ands, ors, xors, or takes the least or greatest of 32-bit integers, in any order. So it takes the place of a tree
//! where order does not show: of fields that meet the same field in one such operation; of floats of which one is the
//! least or greatest, as integers in the same [order]; and of an element that is looked for, in two steps: the best
//! value, and of those that have it the best position.

use crate::func::{Id, Node};
use crate::operation::{Operation, Search};
use crate::ops::Bin;
use crate::{Scalar, Value};

/// How the accumulators of an operation are combined, part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redux {
    /// Which fields; together all.
    pub parts: Vec<Part>,
}

/// Fields that nothing but themselves decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One that meets itself in this operation.
    Field(usize, Bin),
    /// A value that is looked for, and its position.
    Sought(Sought),
}

/// The value that wins, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    /// The field of the value.
    pub value: usize,
    /// That of its position.
    pub position: usize,
    /// Which of two values is better: [`Bin::Min`], [`Bin::Max`], [`Bin::MinNum`] or [`Bin::MaxNum`]. Zeros are equally good.
    pub op: Bin,
    /// Which of two positions is better where values are equally good.
    pub place: Bin,
}

impl Redux {
    /// How accumulators of an operation are combined, if the hardware can: fields have at most 32 bits, positions too.
    pub fn of(operation: &Operation) -> Option<Redux> {
        if !operation.exact {
            return None;
        }
        let parts = if operation.searches.is_empty() { fields(operation) } else { searched(operation) };
        Some(Redux { parts: parts? })
    }

    /// What accumulators combine to, if there are some.
    pub fn reduce(&self, accs: &[Vec<Value>]) -> Option<Vec<Value>> {
        let mut all = accs.first()?.clone();
        for part in &self.parts {
            match *part {
                Part::Field(field, op) => {
                    let values = accs.iter().map(|acc| acc[field]);
                    all[field] = values.reduce(|a, b| met(op, a, b)).unwrap_or(all[field]);
                }
                Part::Sought(best) => {
                    let [value, position] = best.of(accs);
                    (all[best.value], all[best.position]) = (value, position);
                }
            }
        }
        Some(all)
    }
}

impl Sought {
    /// The best value, and the best position of those that have it.
    fn of(self, accs: &[Vec<Value>]) -> [Value; 2] {
        let rank = |acc: &Vec<Value>| match key(acc[self.value], self.op) {
            // Where a float is -0.
            -1 if acc[self.value].ty().is_float() => 0,
            key => key,
        };
        let best = accs.iter().map(rank).reduce(|a, b| better(self.op, a, b)).unwrap_or_default();
        let holders = accs.iter().filter(|acc| rank(acc) == best).map(|acc| acc[self.position]);
        let position = holders.reduce(|a, b| met(self.place, a, b));
        [of_key(accs[0][self.value].ty(), best), position.unwrap_or(accs[0][self.position])]
    }
}

/// Each field by itself.
fn fields(operation: &Operation) -> Option<Vec<Part>> {
    let combine = &operation.combine;
    let types = operation.acc.types();
    let field = |k: usize| {
        let Node::Bin(op, a, b) = combine.line(combine.results()[k])?.node else { return None };
        let sides = [Id(k as u32), Id((types.len() + k) as u32)];
        let own = sides == [a, b] || sides == [b, a];
        (own && is_reduced(op, types[k])).then_some(Part::Field(k, op))
    };
    (0..types.len()).map(field).collect()
}

/// Does the hardware reduce values of that type by that operation?
fn is_reduced(op: Bin, ty: Scalar) -> bool {
    let orders = matches!(op, Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum);
    let joins = matches!(op, Bin::And | Bin::Or | Bin::Xor);
    let adds = op == Bin::Add && ty.is_integer();
    ty.size() <= 4 && (orders || adds || (joins && !ty.is_float()))
}

/// What is looked for; all fields must belong to a search.
fn searched(operation: &Operation) -> Option<Vec<Part>> {
    let parts: Option<Vec<_>> = operation.searches.iter().map(|it| best(operation, it)).collect();
    parts.filter(|parts| 2 * parts.len() == operation.acc.fields.len())
}

/// The zero that a float becomes has no sign, so that `finish` must not see it.
fn best(operation: &Operation, search: &Search) -> Option<Part> {
    let ty = operation.acc.fields[search.field].ty;
    let Node::Bin(op, ..) = search.best.line(search.best.results()[0])?.node else { return None };
    let shown = operation.finish.uses(Id(search.field as u32));
    let best = Sought { value: search.field, position: search.position, op, place: search.place };
    let narrow = operation.acc.fields[search.position].ty.size() <= 4;
    (narrow && is_reduced(op, ty) && !(ty.is_float() && shown)).then_some(Part::Sought(best))
}

/// Two values of a field as one.
fn met(op: Bin, a: Value, b: Value) -> Value {
    let bits = match op {
        Bin::Add => a.bits().wrapping_add(b.bits()),
        Bin::And => a.bits() & b.bits(),
        Bin::Or => a.bits() | b.bits(),
        Bin::Xor => a.bits() ^ b.bits(),
        Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => {
            return of_key(a.ty(), better(op, key(a, op), key(b, op)));
        }
        // Not reduced.
        Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem | Bin::Shl | Bin::Shr => a.bits(),
    };
    Value::from_bits(a.ty(), bits)
}

fn better(op: Bin, a: i64, b: i64) -> i64 {
    if matches!(op, Bin::Min | Bin::MinNum) { a.min(b) } else { a.max(b) }
}

/// A value as an integer, in the [order] of values; NaN where it wins or loses against all of them.
fn key(value: Value, op: Bin) -> i64 {
    match value.as_int() {
        Some(value) => value as i64,
        None if value.is_nan() => order::of_nan(value.ty(), op),
        None => order::turned(value.ty(), order::signed(value.ty(), value.bits())),
    }
}

/// The value of a key.
fn of_key(ty: Scalar, key: i64) -> Value {
    let bits = if ty.is_float() { order::turned(ty, key) } else { key };
    Value::from_bits(ty, bits as u64)
}

/// Floats as signed integers in the same order: their bits, of which all but the sign are turned where it is set. The same
/// gives them back.
pub mod order {
    use super::{Bin, Scalar};

    /// The greatest signed integer with as many bits: no float but a NaN has it.
    pub fn greatest(ty: Scalar) -> i64 {
        (1 << (8 * ty.size() - 1)) - 1
    }

    /// What a NaN is where one of that operation is looked for: greatest or least.
    pub fn of_nan(ty: Scalar, op: Bin) -> i64 {
        if matches!(op, Bin::Max | Bin::MinNum) { greatest(ty) } else { -1 - greatest(ty) }
    }

    /// Bits of a float, as a signed integer.
    pub(super) fn signed(ty: Scalar, bits: u64) -> i64 {
        let unused = 64 - 8 * ty.size() as u32;
        ((bits << unused) as i64) >> unused
    }

    /// From bits to an integer in the order of floats, or back.
    pub(super) fn turned(ty: Scalar, bits: i64) -> i64 {
        if bits < 0 { bits ^ greatest(ty) } else { bits }
    }
}
