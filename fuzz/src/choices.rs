//! The source of a generator's choices: a seed, or the bytes of a fuzzer.

/// A sequence of choices, the same for the same seed or bytes.
pub struct Choices<'a> {
    /// Bytes that decide the first choices.
    bytes: std::slice::Iter<'a, u8>,
    /// Decides the choices after them.
    random: fastrand::Rng,
}

impl<'a> Choices<'a> {
    /// Creates the choices of a seed.
    pub fn of_seed(seed: u64) -> Choices<'static> {
        Choices { bytes: [].iter(), random: fastrand::Rng::with_seed(seed) }
    }

    /// Creates choices from one byte each, so that a fuzzer changes one choice by changing one byte.
    pub fn of_bytes(bytes: &'a [u8]) -> Choices<'a> {
        let mix = |seed: u64, &byte: &u8| (seed ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let seed = bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix);
        Choices { bytes: bytes.iter(), random: fastrand::Rng::with_seed(seed) }
    }

    /// Returns a number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        match self.bytes.next() {
            Some(&byte) if end <= 256 => usize::from(byte) % end,
            _ => self.random.usize(..end),
        }
    }

    /// Picks one of several values.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns `true` once in `times` calls on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Permutes the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        (1..items.len()).for_each(|at| items.swap(at, self.below(at + 1)));
    }
}
