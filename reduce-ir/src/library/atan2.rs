//! `atan2` of `f32`, computed in `f64`: a polynomial gives the angle of a point in the first eighth of a turn, and reflections
//! the angles of the others.

use super::steps::double::{Double, Function};
use std::f64::consts::{FRAC_PI_2, PI};

/// The angle of the point (x, y), called as `y.atan2(x)`. Zeros count as points beside the axis on the side of their sign.
pub(crate) struct Atan2;

/// The coefficients of atan(t) / t in t^2 for t from 0 to 1, the highest power first.
const POWERS: [f64; 13] = [
    0.000_441_389_301_122_477_4,
    -0.003_328_837_445_064_657_7,
    0.011_779_133_525_434_634,
    -0.026_538_214_935_193_108,
    0.044_157_867_564_530_176,
    -0.060_546_554_170_430_165,
    0.075_090_180_607_045_7,
    -0.090_530_195_723_346_56,
    0.111_059_871_294_781_2,
    -0.142_852_968_199_374_57,
    0.199_999_821_931_192,
    -0.333_333_330_336_513_74,
    0.999_999_999_991_632_5,
];

impl Function<2> for Atan2 {
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [y, x]: [S::Float; 2]) -> S::Float {
        let (a, b) = (f.abs("a", y), f.abs("b", x));
        let steep = f.greater("steep", a, b);
        let above = f.select("_", steep, [b, a]);
        let below = f.select("_", steep, [a, b]);
        let quotient = f.div("quotient", above, below);
        // The quotients of two zeros and of two infinities are NaN.
        let (zero, one) = (f.constant(0.0), f.constant(1.0));
        let (is_zero, is_diagonal) = (f.equal("_", a, zero), f.equal("_", a, b));
        let of_equal = f.select("_", is_zero, [zero, one]);
        let t = f.select("t", is_diagonal, [of_equal, quotient]);
        let square = f.mul("square", t, t);
        let p = f.polynomial("p", &POWERS, square);
        let angle = f.mul("angle", t, p);
        let (quarter, half) = (f.constant(FRAC_PI_2), f.constant(PI));
        let complement = f.sub("_", quarter, angle);
        let angle = f.select("angle", steep, [complement, angle]);
        let supplement = f.sub("_", half, angle);
        let bits = f.to_bits("_", x);
        let sign = f.shifted_right("_", bits, 63);
        let is_left = f.is_set("_", sign);
        let angle = f.select("angle", is_left, [supplement, angle]);
        f.signed_like("_", angle, y)
    }
}
