//! Batches of elements: many cases of a law at once.

use super::column::Column;
use reduce_ir::operation::Operation;
use reduce_ir::{Scalar, Value};

/// Cases of one shape, one in each lane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Batch {
    /// The number of elements of each operand.
    pub(super) shape: Vec<usize>,
    /// The elements of all operands, in order.
    pub(super) elements: Vec<Element>,
    /// The params of the call.
    pub(super) params: Vec<Column>,
    /// The number of cases.
    pub(super) len: usize,
}

/// One element of every case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    /// One column for each input.
    pub(super) inputs: Vec<Column>,
    /// The position, of type `u64`.
    pub(super) position: Column,
}

impl Batch {
    /// Returns `len` cases whose scalars are all 0 and whose positions count from 0.
    pub(super) fn zeros(operation: &Operation, shape: &[usize], len: usize) -> Batch {
        let zero = |ty| Column::splat(Value::from_bits(ty, 0), len);
        let element = |at: usize| Element {
            inputs: operation.inputs.iter().map(|input| zero(input.ty)).collect(),
            position: Column::splat(Value::from_bits(Scalar::U64, at as u64), len),
        };
        Batch {
            shape: shape.to_vec(),
            elements: (0..shape.iter().sum()).map(element).collect(),
            params: operation.params.iter().map(|param| zero(param.ty)).collect(),
            len,
        }
    }

    /// Returns `len` cases from the enumeration of all combinations of elements, from number `start`. Requires
    /// a single input of 8 bits.
    pub(super) fn all(operation: &Operation, shape: &[usize], start: u64, len: usize) -> Batch {
        let mut batch = Batch::zeros(operation, shape, len);
        let bits = bits(operation.inputs[0].ty);
        for (at, element) in (0..).zip(&mut batch.elements) {
            let bits = |lane: usize| (start + lane as u64) >> (at * bits);
            let input = &mut element.inputs[0];
            (0..len).for_each(|lane| input.set(lane, Value::from_bits(input.ty(), bits(lane))));
        }
        batch
    }

    /// Returns the number of combinations of that many elements, or `None` if they cannot be enumerated.
    pub(super) fn count(operation: &Operation, elements: usize) -> Option<u64> {
        let [input] = operation.inputs.as_slice() else { return None };
        let is_small = input.ty.size() == 1 && operation.params.is_empty();
        if is_small { 1u64.checked_shl(bits(input.ty) * elements as u32) } else { None }
    }

    /// Returns a selection of the cases.
    pub(super) fn only(&self, cases: &[usize]) -> Batch {
        let some = |column: &Column| column.only(cases);
        let element = |element: &Element| Element {
            inputs: element.inputs.iter().map(some).collect(),
            position: some(&element.position),
        };
        Batch {
            shape: self.shape.clone(),
            elements: self.elements.iter().map(element).collect(),
            params: self.params.iter().map(some).collect(),
            len: cases.len(),
        }
    }

    /// Sets the positions of one lane, counted from `first`.
    pub(super) fn place(&mut self, lane: usize, first: u64) {
        for (element, position) in self.elements.iter_mut().zip(first..) {
            element.position.set(lane, Value::of(position));
        }
    }

    /// Moves one element of a lane, and the elements after it, to the next position.
    pub(super) fn move_on(&mut self, at: usize, lane: usize) {
        for element in &mut self.elements[at..] {
            let next = element.position.get(lane).bits() + 1;
            element.position.set(lane, Value::of(next));
        }
    }

    /// Returns every scalar except positions: the inputs of each element, then the params.
    pub(super) fn scalars(&mut self) -> Vec<&mut Column> {
        let inputs = self.elements.iter_mut().flat_map(|element| &mut element.inputs);
        inputs.chain(&mut self.params).collect()
    }
}

/// Returns the number of significant bits of a one-byte scalar.
fn bits(ty: Scalar) -> u32 {
    if ty == Scalar::Bool { 1 } else { 8 }
}
