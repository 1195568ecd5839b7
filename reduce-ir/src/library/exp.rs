//! `exp`: x = n ln 2 + r with |r| <= ln 2 / 2, so e^x = 2^n e^r.
//!
//! There are two versions: for every argument, and for arguments whose exponential is a normal number.

use super::steps::{Numbers, Steps};
use crate::arith::Float;

/// The constants of a float format.
pub(crate) struct Exp<T: 'static> {
    /// An argument whose result rounds to 0, as do the results of all smaller arguments.
    least: T,
    /// 1 / ln 2.
    per_ln2: T,
    /// 1.5 times 2^`fraction`. Adding it to a number rounds the number to an integer, which the low bits of the sum hold.
    middle: T,
    /// `middle` plus twice the bias of the exponent.
    pub(super) biased: T,
    /// The least sum with `biased` for which the result is infinite; it is infinite for greater sums too.
    pub(super) most: T,
    /// For arguments between these bounds, results are normal numbers.
    pub(super) normal: [T; 2],
    /// -ln 2 in two parts. The high part has few enough bits that its product with n is exact.
    minus_ln2: [T; 2],
    /// The coefficients of e^r, the highest power first. The last two are exact, for small x.
    powers: &'static [T],
    /// The number of bits of the fraction.
    pub(super) fraction: u32,
}

pub(crate) const F32: Exp<f32> = Exp {
    least: -104.0,
    per_ln2: std::f32::consts::LOG2_E,
    middle: 12_582_912.0,
    biased: 12_583_166.0,
    most: 12_583_295.0,
    normal: [-87.0, 88.0],
    minus_ln2: [-0.693_145_75, -1.428_606_8e-6],
    powers: &[0.001_382_608_7, 0.008_368_785_5, 0.041_668_2, 0.166_665_2, 0.499_999_94, 1.0, 1.0],
    fraction: 23,
};

pub(crate) const F64: Exp<f64> = Exp {
    least: -746.0,
    per_ln2: std::f64::consts::LOG2_E,
    middle: 6_755_399_441_055_744.0,
    biased: 6_755_399_441_057_790.0,
    most: 6_755_399_441_058_815.0,
    normal: [-708.0, 709.0],
    minus_ln2: [-0.693_147_180_559_890_3, -5.497_923_018_708_371e-14],
    powers: &[
        2.500_520_763_474_405_2e-8,
        2.763_087_896_253_672e-7,
        2.755_757_511_523_34e-6,
        2.480_149_146_909_473e-5,
        0.000_198_412_695_137_858_2,
        0.001_388_888_894_505_608_5,
        0.008_333_333_333_493_533,
        0.041_666_666_666_525_375,
        0.166_666_666_666_664_1,
        0.500_000_000_000_001_1,
        1.0,
        1.0,
    ],
    fraction: 52,
};

/// Returns `exp` of a number.
#[inline(always)]
pub(crate) fn of<T: Float>(consts: &Exp<T>, x: T) -> T {
    exp(consts, &mut Numbers, x)
}

#[inline(always)]
pub(super) fn exp<T: Float, S: Steps<T>>(consts: &Exp<T>, f: &mut S, x: S::Float) -> S::Float {
    // The limit keeps n far inside the range of exponents. A NaN stays a NaN.
    let x1 = f.at_least("x1", x, consts.least);
    let (per_ln2, biased) = (f.constant(consts.per_ln2), f.constant(consts.biased));
    let t0 = f.mul_add("t0", x1, per_ln2, biased);
    // Above this limit, r and the polynomial grow instead of n, and the result overflows as well.
    let t = f.at_most("t", t0, consts.most);
    let n = f.sub("n", t, biased);
    let p = consts.exp_of_remainder(f, x1, n);
    scaled(consts.fraction, f, p, t)
}

/// Returns p 2^n, where the bits of t, as an integer, are n plus twice the bias of the exponent.
#[inline(always)]
pub(super) fn scaled<T: Float, S: Steps<T>>(fraction: u32, f: &mut S, p: S::Float, t: S::Float) -> S::Float {
    // 2^n in two normal factors. Half of t's integer is the exponent field of one factor, and the rest is the exponent field of
    // the other. The left shift drops the bits above.
    let (half, whole) = (f.distance(fraction - 1), f.distance(fraction));
    let field = f.word(u64::MAX << fraction);
    let u = f.to_bits("u", t);
    let h = f.shl("_", u, half);
    let h = f.and("h", h, field);
    let k = f.shl("_", u, whole);
    let k = f.sub_words("_", k, h);
    let (s0, s1) = (f.of_bits("s0", h), f.of_bits("s1", k));
    // The first product is exact. Only the second rounds, also if the result is infinite or subnormal.
    let y0 = f.mul("y0", p, s0);
    f.mul("_", y0, s1)
}

/// Returns the same bits for arguments within [`Exp::normal`]: there n needs no limits, and 2^n no second factor.
pub(super) fn normal<T: Float, S: Steps<T>>(consts: &Exp<T>, f: &mut S, x: S::Float) -> S::Float {
    let (per_ln2, middle) = (f.constant(consts.per_ln2), f.constant(consts.middle));
    let t = f.mul_add("t", x, per_ln2, middle);
    let n = f.sub("n", t, middle);
    let p = consts.exp_of_remainder(f, x, n);
    // Adding n to the exponent of p multiplies p by 2^n. The left shift drops the bits of t above its integer.
    let whole = f.distance(consts.fraction);
    let (u, v) = (f.to_bits("u", t), f.to_bits("v", p));
    let n = f.shl("_", u, whole);
    let y = f.add_words("_", v, n);
    f.of_bits("_", y)
}

impl<T: Float> Exp<T> {
    /// Returns e^r for r = x - n ln 2, where n is x / ln 2, rounded. The constant 1 / ln 2 is rounded itself, so |r| may slightly
    /// exceed ln 2 / 2; the polynomial has room for this.
    #[inline(always)]
    fn exp_of_remainder<S: Steps<T>>(&self, f: &mut S, x: S::Float, n: S::Float) -> S::Float {
        // The first step is exact; the second rounds once.
        let [high, low] = self.minus_ln2;
        let (high, low) = (f.constant(high), f.constant(low));
        let r0 = f.mul_add("r0", n, high, x);
        let r = f.mul_add("r", n, low, r0);
        f.polynomial("p", self.powers, r)
    }
}
