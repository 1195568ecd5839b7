//! The remainder of any float by π/2, by long integers.

use crate::pairs::Pair;
use std::sync::LazyLock;

/// A number from 0 to 16 with `64 * WORDS - 4` bits after the point, the lowest word first.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Long([u64; WORDS]);

const WORDS: usize = 20;

static QUARTER: LazyLock<Long> = LazyLock::new(|| {
    // Machin: π/4 = 4 atan(1/5) - atan(1/239).
    let (first, second) = (inverse_tangent(5), inverse_tangent(239));
    (0..7).fold(first, |sum, _| sum.plus(first)).minus(second).minus(second)
});

impl Long {
    fn whole(value: u64) -> Long {
        let mut words = [0; WORDS];
        words[WORDS - 1] = value << 60;
        Long(words)
    }

    fn plus(mut self, other: Long) -> Long {
        let mut carry = false;
        for (a, b) in self.0.iter_mut().zip(other.0) {
            let (sum, first) = a.overflowing_add(b);
            let (sum, second) = sum.overflowing_add(carry.into());
            (*a, carry) = (sum, first | second);
        }
        self
    }

    fn minus(mut self, other: Long) -> Long {
        let mut borrow = false;
        for (a, b) in self.0.iter_mut().zip(other.0) {
            let (rest, first) = a.overflowing_sub(b);
            let (rest, second) = rest.overflowing_sub(borrow.into());
            (*a, borrow) = (rest, first | second);
        }
        self
    }

    fn divided(mut self, by: u64) -> Long {
        let mut rest = 0u128;
        for word in self.0.iter_mut().rev() {
            let all = rest << 64 | u128::from(*word);
            *word = (all / u128::from(by)) as u64;
            rest = all % u128::from(by);
        }
        self
    }

    fn at_least(&self, other: &Long) -> bool {
        self.0.iter().rev().ge(other.0.iter().rev())
    }

    /// Returns the number as a sum of two floats, without its lowest bits.
    fn to_pair(self) -> Pair {
        // Words of 32 bits are exact in floats; eight hold all that a pair has room for.
        let parts = self.0.iter().rev().flat_map(|word| [word >> 32, word & 0xffff_ffff]);
        let scaled = parts.zip(1..).map(|(part, k)| Pair::of(part as f64 * 2f64.powi(4 - 32 * k)));
        let first: Vec<_> = scaled.skip_while(|it| it.0 == 0.0).take(8).collect();
        first.into_iter().rev().fold(Pair::of(0.0), |sum, part| sum + part)
    }
}

/// atan(1 / n).
fn inverse_tangent(n: u64) -> Long {
    let mut power = Long::whole(1).divided(n);
    let mut sum = power;
    for k in 1..WORDS as u64 * 16 {
        power = power.divided(n * n);
        let term = power.divided(2 * k + 1);
        sum = if k % 2 == 1 { sum.minus(term) } else { sum.plus(term) };
    }
    sum
}

/// Returns x, which is at least 0, as a number of quarter turns, modulo 2^64, and a rest of at most an eighth of a turn.
pub(crate) fn remainder(x: f64) -> (u64, Pair) {
    if x < 0.7 {
        return (0, Pair::of(x));
    }
    // x = m 2^exponent, and m is at least 1 and less than 2.
    let exponent = (x.to_bits() >> 52) as i32 - 1023;
    let mut rest = Long([0; WORDS]);
    rest.0[WORDS - 1] = (x.to_bits() & ((1 << 52) - 1) | 1 << 52) << 8;
    let mut turns = 0u64;
    if exponent < 0 {
        rest = rest.divided(2);
    }
    reduce(&mut rest, &mut turns);
    for _ in 0..exponent {
        rest = rest.plus(rest);
        turns = turns.wrapping_mul(2);
        reduce(&mut rest, &mut turns);
    }
    if rest.plus(rest).at_least(&QUARTER) {
        (turns.wrapping_add(1), -QUARTER.minus(rest).to_pair())
    } else {
        (turns, rest.to_pair())
    }
}

fn reduce(rest: &mut Long, turns: &mut u64) {
    while rest.at_least(&QUARTER) {
        *rest = rest.minus(*QUARTER);
        *turns = turns.wrapping_add(1);
    }
}
