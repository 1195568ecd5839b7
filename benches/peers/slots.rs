//! Where the inputs of each turn lie in a piece of memory that holds many copies of them.

use reducegen::ir::Scalar;

/// Bytes between one input and the next, which begins on a multiple of them.
const APART: usize = 256;

/// Where the inputs of each turn lie.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    base: u64,
    pub(crate) stride: usize,
    offset: usize,
    inputs: usize,
    pub(crate) copies: usize,
}

impl Slots {
    /// As many copies of the inputs as `bytes` of memory hold; `None` if it does not hold one.
    pub(crate) fn of(base: u64, bytes: usize, ty: Scalar, n: usize, inputs: usize) -> Option<Slots> {
        let stride = (n * ty.size()).next_multiple_of(APART) + APART;
        let copies = bytes / (stride * inputs);
        (copies > 0).then_some(Slots { base, stride, offset: 0, inputs, copies })
    }

    /// One input, always the same.
    pub(crate) fn one(base: u64) -> Slots {
        Slots { base, stride: 0, offset: 0, inputs: 1, copies: 1 }
    }

    /// The same, but that all inputs begin so many bytes later, fewer than lie between two.
    pub(crate) fn shifted(&self, offset: usize) -> Slots {
        Slots { offset, ..self.clone() }
    }

    /// Where an input lies in a turn.
    pub(crate) fn pointer(&self, turn: u64, input: usize) -> u64 {
        let copy = turn as usize % self.copies;
        self.base + ((copy * self.inputs + input) * self.stride + self.offset) as u64
    }
}
