//! SplitMix64 (Steele, Lea and Flood 2014): the random numbers of the tests, the same on every machine.
#![allow(dead_code, reason = "no test uses all of it")]

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns number `i` of the sequence that begins with seed 0.
pub(crate) fn random(i: u64) -> u64 {
    Random::new(i.wrapping_mul(STEP)).bits()
}

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns any 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// Returns a float in [0, 1) of 53 digits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Picks one of several values.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}
