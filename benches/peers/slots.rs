//! The addresses of the inputs of each turn, in a block of memory that holds many copies of them.

use reducegen::Scalar;

/// Minimum bytes between one input and the next. Inputs begin on multiples of it.
const GAP: usize = 256;

/// The addresses of the inputs of each turn.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    base: u64,
    pub(crate) stride: usize,
    offset: usize,
    inputs: usize,
    pub(crate) copies: usize,
}

impl Slots {
    /// Fills `bytes` of memory with copies of the inputs. Returns `None` if no copy fits.
    pub(crate) fn of(base: u64, bytes: usize, ty: Scalar, n: usize, inputs: usize) -> Option<Slots> {
        let stride = (n * ty.size()).next_multiple_of(GAP) + GAP;
        let copies = bytes / (stride * inputs);
        (copies > 0).then_some(Slots { base, stride, offset: 0, inputs, copies })
    }

    /// Places one input, the same in every turn.
    pub(crate) fn one(base: u64) -> Slots {
        Slots { base, stride: 0, offset: 0, inputs: 1, copies: 1 }
    }

    /// Moves all inputs by `offset` bytes, which must be less than the space between two inputs.
    pub(crate) fn shifted(&self, offset: usize) -> Slots {
        Slots { offset, ..self.clone() }
    }

    /// Returns the address of an input in a turn.
    pub(crate) fn pointer(&self, turn: u64, input: usize) -> u64 {
        let copy = turn as usize % self.copies;
        self.base + ((copy * self.inputs + input) * self.stride + self.offset) as u64
    }
}
