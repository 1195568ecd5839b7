//! Rational numbers: the results of `+`, `−`, `×` and `÷` before any rounding.

use std::cmp::Ordering;

/// A fraction in lowest terms. Operations return `None` if the result does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ratio {
    numerator: i128,
    /// At least 1.
    denominator: i128,
}

impl Ratio {
    /// Returns a whole number.
    pub(super) const fn whole(value: i128) -> Ratio {
        Ratio { numerator: value, denominator: 1 }
    }

    /// Returns the fraction of two whole numbers; `None` if it does not exist or does not fit.
    pub(super) fn of(numerator: i128, denominator: i128) -> Option<Ratio> {
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).cast_signed();
        let sign = denominator.signum();
        if divisor <= 0 || sign == 0 {
            return None;
        }
        let denominator = (denominator / divisor).checked_mul(sign)?;
        Some(Ratio { numerator: (numerator / divisor).checked_mul(sign)?, denominator })
    }

    /// Returns the value of a finite float.
    pub(super) fn of_float(value: f64) -> Option<Ratio> {
        let bits = value.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as i32, i128::from(bits & ((1 << 52) - 1)));
        let significand = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let zeros = significand.trailing_zeros().min(52);
        let significand = if value < 0.0 { -(significand >> zeros) } else { significand >> zeros };
        // The value is significand · 2^shift.
        let shift = exponent.max(1) - 1075 + zeros.cast_signed();
        match shift {
            _ if significand == 0 => Some(Ratio::whole(0)),
            0..64 => Some(Ratio::whole(significand << shift)),
            -126..0 => Some(Ratio { numerator: significand, denominator: 1 << -shift }),
            _ => None,
        }
    }

    /// Returns an `f64` that is off the nearest one by at most three roundings.
    pub(super) fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Returns the float that equals the fraction, if there is one.
    pub(super) fn as_float(self) -> Option<f64> {
        let float = self.to_f64();
        (Ratio::of_float(float) == Some(self)).then_some(float)
    }

    pub(super) fn add(self, other: Ratio) -> Option<Ratio> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Ratio::of(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub(super) fn mul(self, other: Ratio) -> Option<Ratio> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Ratio::of(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    /// Returns the reciprocal; `None` for 0.
    pub(super) fn inverse(self) -> Option<Ratio> {
        Ratio::of(self.denominator, self.numerator)
    }

    pub(super) fn neg(self) -> Option<Ratio> {
        Some(Ratio { numerator: self.numerator.checked_neg()?, ..self })
    }

    pub(super) fn compare(self, other: Ratio) -> Option<Ordering> {
        let left = self.numerator.checked_mul(other.denominator)?;
        Some(left.cmp(&other.numerator.checked_mul(self.denominator)?))
    }

    /// Returns the square root, if it is rational.
    pub(super) fn root(self) -> Option<Ratio> {
        let numerator = self.numerator.checked_isqrt()?;
        let denominator = self.denominator.checked_isqrt()?;
        let root = Ratio { numerator, denominator };
        (root.mul(root) == Some(self)).then_some(root)
    }

    /// Returns the largest whole number that is not above the fraction.
    pub(super) fn floor(self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }

    pub(super) fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(super) fn is_negative(self) -> bool {
        self.numerator < 0
    }

    /// Returns the whole number that equals the fraction, if there is one.
    pub(super) fn as_whole(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }
}

/// Returns the greatest common divisor, computed by halving because 128-bit divisions are slow.
fn gcd(mut a: u128, mut b: u128) -> u128 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        (a, b) = (a.min(b), a.abs_diff(b));
    }
    a << twos
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn floats_are_fractions_and_back() {
        for x in [0.0, 1.0, -1.5, 0.1, 1e18, -3.0e-5, f64::EPSILON, 123_456_789.125] {
            assert_eq!(Ratio::of_float(x).unwrap().as_float(), Some(x));
        }
        assert_eq!(Ratio::of_float(f64::MAX), None);
        assert_eq!(Ratio::of_float(f64::MIN_POSITIVE), None);
        assert_eq!(Ratio::of(1, 3).unwrap().as_float(), None);
    }

    #[test]
    fn fractions_are_in_lowest_terms() {
        for (a, b) in [(6, -4), (-9, 6), (0, -7), (1 << 90, 3 << 89)] {
            let found = Ratio::of(a, b).unwrap();
            let divides = |by: i128| found.numerator % by == 0 && found.denominator % by == 0;
            assert!(found.denominator > 0 && !(2..10).any(divides), "{found:?}");
            assert_eq!(found.numerator * b, found.denominator * a);
        }
        let (third, half) = (Ratio::of(1, 3).unwrap(), Ratio::of(-1, 2).unwrap());
        assert_eq!(third.add(half), Ratio::of(-1, 6));
        assert_eq!(third.mul(half), Ratio::of(-1, 6));
        assert_eq!((half.floor(), third.floor()), (-1, 0));
        assert_eq!(Ratio::of(9, 4).unwrap().root(), Ratio::of(3, 2));
        assert_eq!(Ratio::of(2, 1).unwrap().root(), None);
    }
}
