//! Reductions of the 32 accumulators of a warp by one hardware instruction: `redux.sync` (PTX ISA, sm_80).
//!
//! The instruction adds, ands, ors, xors, or takes the least or greatest of 32-bit integers, in any order. So it replaces a tree
//! only if the order has no effect: for fields that one such operation combines with the same field; for the least or greatest of
//! floats, as integers in the same [order]; and for searches. A search takes two steps: the best value, and then the best
//! position among the accumulators that have it.

use crate::func::{Id, Node};
use crate::operation::{Operation, Search};
use crate::ops::Bin;
use crate::{Scalar, Value};

/// How the accumulators of an operation are combined, part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redux {
    /// The parts; together they cover all fields.
    pub parts: Vec<Part>,
}

/// Fields that are reduced independently of all other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A field that this operation combines with itself.
    Field(usize, Bin),
    /// A value that is searched for, and its position.
    Sought(Sought),
}

/// The value that wins a search, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    /// The field of the value.
    pub value: usize,
    /// The field of its position.
    pub position: usize,
    /// The operation that gives the better value: [`Bin::Min`], [`Bin::Max`], [`Bin::MinNum`] or [`Bin::MaxNum`]. Zeros are equal.
    pub op: Bin,
    /// The operation that gives the better position of equally good values.
    pub place: Bin,
}

impl Redux {
    /// Returns how accumulators of an operation are combined, if the hardware can. Fields and positions have at most 32 bits.
    pub fn of(operation: &Operation) -> Option<Redux> {
        if !operation.exact {
            return None;
        }
        let parts =
            if operation.searches.is_empty() { field_parts(operation) } else { search_parts(operation) };
        Some(Redux { parts: parts? })
    }

    /// Returns the combination of the accumulators, or `None` if there are no accumulators.
    pub fn reduce(&self, accs: &[Vec<Value>]) -> Option<Vec<Value>> {
        let mut all = accs.first()?.clone();
        for part in &self.parts {
            match *part {
                Part::Field(field, op) => {
                    let values = accs.iter().map(|acc| acc[field]);
                    all[field] = values.reduce(|a, b| combine_values(op, a, b)).unwrap_or(all[field]);
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
    /// Returns the best value, and the best position among the accumulators that have it.
    fn of(self, accs: &[Vec<Value>]) -> [Value; 2] {
        let rank = |acc: &Vec<Value>| match key(acc[self.value], self.op) {
            // The key of -0, which ranks as +0.
            -1 if acc[self.value].ty().is_float() => 0,
            key => key,
        };
        let best = accs.iter().map(rank).reduce(|a, b| better(self.op, a, b)).unwrap_or_default();
        let holders = accs.iter().filter(|acc| rank(acc) == best).map(|acc| acc[self.position]);
        let position = holders.reduce(|a, b| combine_values(self.place, a, b));
        [of_key(accs[0][self.value].ty(), best), position.unwrap_or(accs[0][self.position])]
    }
}

/// Returns a part for each field, if each is combined only with itself.
fn field_parts(operation: &Operation) -> Option<Vec<Part>> {
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

/// Returns whether the hardware reduces values of that type by that operation.
fn is_reduced(op: Bin, ty: Scalar) -> bool {
    let orders = matches!(op, Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum);
    let joins = matches!(op, Bin::And | Bin::Or | Bin::Xor);
    let adds = op == Bin::Add && ty.is_integer();
    ty.size() <= 4 && (orders || adds || (joins && !ty.is_float()))
}

/// Returns a part for each search, if every field belongs to a search.
fn search_parts(operation: &Operation) -> Option<Vec<Part>> {
    let parts: Option<Vec<_>> = operation.searches.iter().map(|it| search_part(operation, it)).collect();
    parts.filter(|parts| 2 * parts.len() == operation.acc.fields.len())
}

/// Returns the part of a search. A float zero loses its sign, so `finish` must not use the value.
fn search_part(operation: &Operation, search: &Search) -> Option<Part> {
    let ty = operation.acc.fields[search.field].ty;
    let Node::Bin(op, ..) = search.best.line(search.best.results()[0])?.node else { return None };
    let shown = operation.finish.uses(Id(search.field as u32));
    let best = Sought { value: search.field, position: search.position, op, place: search.place };
    let narrow = operation.acc.fields[search.position].ty.size() <= 4;
    (narrow && is_reduced(op, ty) && !(ty.is_float() && shown)).then_some(Part::Sought(best))
}

/// Combines two values of a field.
fn combine_values(op: Bin, a: Value, b: Value) -> Value {
    let bits = match op {
        Bin::Add => a.bits().wrapping_add(b.bits()),
        Bin::And => a.bits() & b.bits(),
        Bin::Or => a.bits() | b.bits(),
        Bin::Xor => a.bits() ^ b.bits(),
        Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => {
            return of_key(a.ty(), better(op, key(a, op), key(b, op)));
        }
        // `is_reduced` excludes these.
        Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem | Bin::Shl | Bin::Shr => a.bits(),
        Bin::Powf | Bin::Hypot | Bin::Atan2 => a.bits(),
    };
    Value::from_bits(a.ty(), bits)
}

fn better(op: Bin, a: i64, b: i64) -> i64 {
    if matches!(op, Bin::Min | Bin::MinNum) { a.min(b) } else { a.max(b) }
}

/// Returns a value as an integer, in the [order] of values. A NaN is greater or less than all of them, as `op` requires.
fn key(value: Value, op: Bin) -> i64 {
    match value.as_int() {
        Some(value) => value as i64,
        None if value.is_nan() => order::of_nan(value.ty(), op),
        None => order::turned(value.ty(), order::signed(value.ty(), value.bits())),
    }
}

/// Returns the value of a key.
fn of_key(ty: Scalar, key: i64) -> Value {
    let bits = if ty.is_float() { order::turned(ty, key) } else { key };
    Value::from_bits(ty, bits as u64)
}

/// Maps floats to signed integers in the same order: if the sign bit is set, all other bits are flipped. The same operation maps
/// them back.
pub mod order {
    use super::{Bin, Scalar};

    /// Returns the greatest signed integer of the same width. No float except a NaN has it.
    pub fn greatest(ty: Scalar) -> i64 {
        (1 << (8 * ty.size() - 1)) - 1
    }

    /// Returns the key of NaN in a search by that operation: the greatest or the least key.
    pub fn of_nan(ty: Scalar, op: Bin) -> i64 {
        if matches!(op, Bin::Max | Bin::MinNum) { greatest(ty) } else { -1 - greatest(ty) }
    }

    /// Returns the bits of a float, as a signed integer.
    pub(super) fn signed(ty: Scalar, bits: u64) -> i64 {
        let unused = 64 - 8 * ty.size() as u32;
        ((bits << unused) as i64) >> unused
    }

    /// Maps bits to an integer in the order of floats, or back.
    pub(super) fn turned(ty: Scalar, bits: i64) -> i64 {
        if bits < 0 { bits ^ greatest(ty) } else { bits }
    }
}
