//! Elements to try a law on, many cases at once.

use crate::lanes::Lanes;
use crate::operation::Operation;
use crate::{Scalar, Value};

/// Cases of one shape, one in each lane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Batch {
    /// How many elements each operand is made of.
    pub(super) shape: Vec<usize>,
    /// The elements of all operands, in order.
    pub(super) elements: Vec<Element>,
    /// What is given at the call.
    pub(super) params: Vec<Lanes>,
    /// How many cases.
    pub(super) len: usize,
}

/// An element of every case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    /// One for each input.
    pub(super) inputs: Vec<Lanes>,
    /// `u64`.
    pub(super) position: Lanes,
}

impl Batch {
    /// As many cases, of which every scalar is 0 and positions count from 0.
    pub(super) fn zeros(operation: &Operation, shape: &[usize], len: usize) -> Batch {
        let zero = |ty| Lanes::splat(Value::from_bits(ty, 0), len);
        let element = |at: usize| Element {
            inputs: operation.inputs.iter().map(|input| zero(input.ty)).collect(),
            position: Lanes::splat(Value::from_bits(Scalar::U64, at as u64), len),
        };
        Batch {
            shape: shape.to_vec(),
            elements: (0..shape.iter().sum()).map(element).collect(),
            params: operation.params.iter().map(|param| zero(param.ty)).collect(),
            len,
        }
    }

    /// One case alone.
    pub(super) fn case(&self, lane: usize) -> Batch {
        let alone = |lanes: &Lanes| Lanes::splat(lanes.get(lane), 1);
        let element = |element: &Element| Element {
            inputs: element.inputs.iter().map(alone).collect(),
            position: alone(&element.position),
        };
        Batch {
            shape: self.shape.clone(),
            elements: self.elements.iter().map(element).collect(),
            params: self.params.iter().map(alone).collect(),
            len: 1,
        }
    }

    /// Positions that count from `first`, in that lane.
    pub(super) fn place(&mut self, lane: usize, first: u64) {
        for (element, position) in self.elements.iter_mut().zip(first..) {
            element.position.set(lane, Value::of(position));
        }
    }

    /// Its scalars, but for positions: of every element each input, then the params.
    pub(super) fn scalars(&mut self) -> Vec<&mut Lanes> {
        let inputs = self.elements.iter_mut().flat_map(|element| &mut element.inputs);
        inputs.chain(&mut self.params).collect()
    }
}
