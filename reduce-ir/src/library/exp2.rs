//! `exp2`: x = n + r with |r| <= 1/2, so 2^x = 2^n 2^r.

use super::exp::{self, scaled};
use super::steps::{Numbers, Steps};
use crate::arith::Float;

/// The constants of `exp2` for a float format; see [`exp::Exp`].
pub(crate) struct Exp2<T: 'static> {
    least: T,
    biased: T,
    most: T,
    /// The coefficients of 2^r, the highest power first. The last is exact, for integers.
    powers: &'static [T],
    fraction: u32,
}

pub(crate) const F32: Exp2<f32> = Exp2 {
    least: -151.0,
    biased: exp::F32.biased,
    most: exp::F32.most,
    powers: &[
        0.000_154_697,
        0.001_339_086_8,
        0.009_618_031,
        0.055_503_57,
        0.240_226_5,
        std::f32::consts::LN_2,
        1.0,
    ],
    fraction: exp::F32.fraction,
};

pub(crate) const F64: Exp2<f64> = Exp2 {
    least: -1076.0,
    biased: exp::F64.biased,
    most: exp::F64.most,
    powers: &[
        4.456_674_564_877_214e-10,
        7.072_586_100_667_279_4e-9,
        1.017_805_173_107_755_5e-7,
        1.321_544_258_707_654_5e-6,
        1.525_273_385_327_973_1e-5,
        0.000_154_035_304_417_377_25,
        0.001_333_355_814_639_599_7,
        0.009_618_129_107_606_887,
        0.055_504_108_664_821_66,
        0.240_226_506_959_100_97,
        std::f64::consts::LN_2,
        1.0,
    ],
    fraction: exp::F64.fraction,
};

/// Returns `exp2` of a number.
#[inline(always)]
pub(crate) fn of<T: Float>(consts: &Exp2<T>, x: T) -> T {
    exp2(consts, &mut Numbers, x)
}

#[inline(always)]
pub(super) fn exp2<T: Float, S: Steps<T>>(consts: &Exp2<T>, f: &mut S, x: S::Float) -> S::Float {
    // The limits are those of `exp`.
    let x1 = f.at_least("x1", x, consts.least);
    let biased = f.constant(consts.biased);
    let t0 = f.add("t0", x1, biased);
    let t = f.at_most("t", t0, consts.most);
    let n = f.sub("n", t, biased);
    // This difference is exact.
    let r = f.sub("r", x1, n);
    let p = f.polynomial("p", consts.powers, r);
    scaled(consts.fraction, f, p, t)
}
