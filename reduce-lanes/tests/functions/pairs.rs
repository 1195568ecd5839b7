//! Numbers as sums of two floats, with about 100 bits (T. J. Dekker, Numerische Mathematik 18, 1971).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum of both; the second is at most half a unit in the last place of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair(pub(crate) f64, pub(crate) f64);

pub(crate) const LN_2: Pair = Pair(std::f64::consts::LN_2, 2.3190468138462996e-17);

impl Pair {
    pub(crate) fn of(x: f64) -> Pair {
        Pair(x, 0.0)
    }

    fn sum(a: f64, b: f64) -> Pair {
        let sum = a + b;
        let of_b = sum - a;
        Pair(sum, (a - (sum - of_b)) + (b - of_b))
    }

    pub(crate) fn product(a: f64, b: f64) -> Pair {
        let product = a * b;
        Pair(product, a.mul_add(b, -product))
    }

    /// Multiplies by a power of two.
    pub(crate) fn scaled(self, by: f64) -> Pair {
        Pair(self.0 * by, self.1 * by)
    }

    pub(crate) fn sqrt(self) -> Pair {
        let root = Pair::of(self.0.sqrt());
        let rest = self - root * root;
        root + Pair::of(rest.0 / (2.0 * root.0))
    }
}

impl Add for Pair {
    type Output = Pair;
    fn add(self, other: Pair) -> Pair {
        let (high, low) = (Pair::sum(self.0, other.0), Pair::sum(self.1, other.1));
        let middle = Pair::sum(high.0, high.1 + low.0);
        Pair::sum(middle.0, middle.1 + low.1)
    }
}

impl Neg for Pair {
    type Output = Pair;
    fn neg(self) -> Pair {
        Pair(-self.0, -self.1)
    }
}

impl Sub for Pair {
    type Output = Pair;
    fn sub(self, other: Pair) -> Pair {
        self + -other
    }
}

impl Mul for Pair {
    type Output = Pair;
    fn mul(self, other: Pair) -> Pair {
        let high = Pair::product(self.0, other.0);
        Pair::sum(high.0, high.1 + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Pair {
    type Output = Pair;
    fn div(self, other: Pair) -> Pair {
        let first = Pair::of(self.0 / other.0);
        let rest = self - first * other;
        let second = Pair::of(rest.0 / other.0);
        let rest = rest - second * other;
        first + second + Pair::of(rest.0 / other.0)
    }
}
