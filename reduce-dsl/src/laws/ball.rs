//! Ball arithmetic: real numbers with an error bound that every operation propagates (Higham, Accuracy and
//! Stability of Numerical Algorithms, §3.3).

use std::cmp::Ordering;

/// Half the distance from 1 to the next `f64`.
const UNIT: f64 = f64::EPSILON / 2.0;
/// The relative error that a function of a library may have.
const LIBRARY: f64 = 8.0 * UNIT;

/// A number within `radius` of `middle`, both finite. Operations return `None` if they have no finite bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ball {
    middle: f64,
    radius: f64,
}

impl Ball {
    /// Returns `middle` with an absolute error of `error` plus a relative error of `relative`.
    fn new(middle: f64, error: f64, relative: f64) -> Option<Ball> {
        // The factor and the summand cover the roundings of the bound itself.
        let radius = (error + middle.abs() * relative) * (1.0 + 8.0 * UNIT) + f64::MIN_POSITIVE * 2.0;
        (middle.is_finite() && radius.is_finite()).then_some(Ball { middle, radius })
    }

    /// Returns an exact float.
    pub(super) fn exactly(middle: f64) -> Ball {
        Ball { middle, radius: 0.0 }
    }

    /// Returns a number whose computation took a few roundings.
    pub(super) fn rounded(middle: f64) -> Option<Ball> {
        Ball::new(middle, 0.0, 4.0 * UNIT)
    }

    /// Returns the number after rounding to a type with that `unit` roundoff and that smallest step.
    pub(super) fn to_unit(self, unit: f64, step: f64) -> Option<Ball> {
        Ball::new(self.middle, self.radius + self.radius * unit + step, unit)
    }

    pub(super) fn add(self, other: Ball) -> Option<Ball> {
        Ball::new(self.middle + other.middle, self.radius + other.radius, UNIT)
    }

    pub(super) fn mul(self, other: Ball) -> Option<Ball> {
        let error =
            self.middle.abs() * other.radius + other.middle.abs() * self.radius + self.radius * other.radius;
        Ball::new(self.middle * other.middle, error, UNIT)
    }

    pub(super) fn div(self, other: Ball) -> Option<Ball> {
        let least = other.middle.abs() - other.radius;
        let middle = self.middle / other.middle;
        let error = (self.radius + middle.abs() * other.radius) / least;
        if least > 0.0 { Ball::new(middle, error, 2.0 * UNIT) } else { None }
    }

    pub(super) fn neg(self) -> Ball {
        Ball { middle: -self.middle, ..self }
    }

    pub(super) fn abs(self) -> Ball {
        Ball { middle: self.middle.abs(), ..self }
    }

    pub(super) fn max(self, other: Ball) -> Ball {
        Ball { middle: self.middle.max(other.middle), radius: self.radius.max(other.radius) }
    }

    pub(super) fn sqrt(self) -> Option<Ball> {
        let middle = self.middle.sqrt();
        if self.middle < self.radius || middle == 0.0 {
            return None;
        }
        Ball::new(middle, self.radius / middle, UNIT)
    }

    pub(super) fn exp(self) -> Option<Ball> {
        let middle = self.middle.exp();
        Ball::new(middle, middle * self.radius.exp_m1(), LIBRARY)
    }

    pub(super) fn ln(self) -> Option<Ball> {
        let relative = self.radius / self.middle;
        if self.middle <= 0.0 || relative >= 1.0 {
            return None;
        }
        Ball::new(self.middle.ln(), relative / (1.0 - relative), LIBRARY)
    }

    pub(super) fn exp2(self) -> Option<Ball> {
        let middle = self.middle.exp2();
        Ball::new(middle, middle * (self.radius * std::f64::consts::LN_2).exp_m1(), LIBRARY)
    }

    pub(super) fn log2(self) -> Option<Ball> {
        let ln = self.ln()?;
        Ball::new(self.middle.log2(), ln.radius * std::f64::consts::LOG2_E, LIBRARY)
    }

    pub(super) fn exp_m1(self) -> Option<Ball> {
        Ball::new(self.middle.exp_m1(), self.middle.exp() * self.radius.exp_m1(), LIBRARY)
    }

    pub(super) fn ln_1p(self) -> Option<Ball> {
        let relative = self.radius / (1.0 + self.middle);
        if self.middle <= -1.0 || relative >= 0.5 {
            return None;
        }
        Ball::new(self.middle.ln_1p(), 2.0 * relative, LIBRARY)
    }

    // The slopes of these are at most 1.
    pub(super) fn sin(self) -> Option<Ball> {
        Ball::new(self.middle.sin(), self.radius, LIBRARY)
    }

    pub(super) fn cos(self) -> Option<Ball> {
        Ball::new(self.middle.cos(), self.radius, LIBRARY)
    }

    pub(super) fn tanh(self) -> Option<Ball> {
        Ball::new(self.middle.tanh(), self.radius, LIBRARY)
    }

    pub(super) fn hypot(self, other: Ball) -> Option<Ball> {
        Ball::new(self.middle.hypot(other.middle), self.radius + other.radius, LIBRARY)
    }

    /// Returns the angle of (`x`, `self`). At the negative half of the axis, it depends on the sign of a zero.
    pub(super) fn atan2(self, x: Ball) -> Option<Ball> {
        let share = (self.radius + x.radius) / self.middle.hypot(x.middle);
        let crosses = self.middle.abs() <= self.radius && x.middle <= x.radius;
        // The error is at most the arc sine of `share`, which is less than 2 `share` here.
        if crosses || share.is_nan() || share > 0.5 {
            return None;
        }
        Ball::new(self.middle.atan2(x.middle), 2.0 * share, LIBRARY)
    }

    /// Rounds with `whole`; `None` if the bound crosses a step.
    pub(super) fn to_whole(self, whole: fn(f64) -> f64) -> Option<f64> {
        let [least, greatest] = [self.least(), self.greatest()].map(whole);
        (least == greatest).then_some(least)
    }

    /// Compares two numbers; `None` if their bounds overlap.
    pub(super) fn compare(self, other: Ball) -> Option<Ordering> {
        if self.radius == 0.0 && other.radius == 0.0 {
            return self.middle.partial_cmp(&other.middle);
        }
        let above = (self.least() > other.greatest()).then_some(Ordering::Greater);
        above.or_else(|| (self.greatest() < other.least()).then_some(Ordering::Less))
    }

    fn least(self) -> f64 {
        (self.middle - self.radius).next_down()
    }

    fn greatest(self) -> f64 {
        (self.middle + self.radius).next_up()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// (e^x · e^y)² = e^(2x + 2y), and √ and ln invert squaring and e^x.
    #[test]
    fn bounds_hold_both_ways_to_the_same_number() {
        for i in -40i32..40 {
            let x = Ball::exactly(f64::from(i) / 7.0);
            let y = Ball::exactly(f64::from(i * i) / 91.0);
            let product = x.exp().unwrap().mul(y.exp().unwrap()).unwrap();
            let sum = x.add(y).unwrap();
            let square = sum.add(sum).unwrap().exp().unwrap();
            assert_eq!(product.mul(product).unwrap().compare(square), None);
            assert_eq!(square.sqrt().unwrap().compare(product), None);
            assert_eq!(square.sqrt().unwrap().ln().unwrap().compare(sum), None);
            assert_eq!(square.div(product).unwrap().compare(product), None);
            assert!(product.radius < 1e-13 * product.middle, "{product:?}");
            let off = product.mul(Ball::exactly(1.0 + 1e-12)).unwrap();
            assert_eq!(off.compare(product), Some(Ordering::Greater));
        }
    }

    #[test]
    fn bounds_hold_for_identities_of_functions() {
        let one = Ball::exactly(1.0);
        for i in -40i32..40 {
            let exact = Ball::exactly(f64::from(2 * i + 1) / 14.0);
            // With an error of its own.
            let x = exact.mul(Ball::rounded(1.0).unwrap()).unwrap();
            let (sine, cosine) = (x.sin().unwrap(), x.cos().unwrap());
            let squares = sine.mul(sine).unwrap().add(cosine.mul(cosine).unwrap()).unwrap();
            assert_eq!(squares.compare(one), None);
            assert_eq!(sine.hypot(cosine).unwrap().compare(one), None);
            let angle = sine.atan2(cosine).unwrap();
            assert!(x.middle.abs() > 3.1 || angle.compare(x).is_none(), "{angle:?} {x:?}");
            assert_eq!(x.exp2().unwrap().log2().unwrap().compare(x), None);
            assert_eq!(x.exp_m1().unwrap().ln_1p().unwrap().compare(x), None);
            assert_eq!(x.exp_m1().unwrap().add(one).unwrap().compare(x.exp().unwrap()), None);
            let e = x.add(x).unwrap().exp_m1().unwrap();
            let tanh = e.div(e.add(Ball::exactly(2.0)).unwrap()).unwrap();
            assert_eq!(tanh.compare(x.tanh().unwrap()), None);
            assert!([sine, cosine, angle, tanh].iter().all(|it| it.radius < 1e-12), "{x:?}");
        }
        // At the cut, the sign of a zero decides.
        assert_eq!(Ball::exactly(0.0).atan2(Ball::exactly(-1.0)), None);
        assert_eq!(Ball::exactly(-1.5).ln_1p(), None);
    }

    #[test]
    fn steps_are_taken_where_the_bound_allows() {
        let third = Ball::exactly(1.0).div(Ball::exactly(3.0)).unwrap();
        assert_eq!(third.to_whole(f64::floor), Some(0.0));
        assert_eq!(third.mul(Ball::exactly(3.0)).unwrap().to_whole(f64::floor), None);
        assert_eq!(third.neg().sqrt(), None);
        assert_eq!(third.neg().ln(), None);
        assert_eq!(third.div(third.add(third.neg()).unwrap()), None);
    }
}
