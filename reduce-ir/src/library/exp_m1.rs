//! `exp_m1` and `tanh`: x = n ln 2 + r, so e^x - 1 = (2^n - 1) + 2^n (e^r - 1). The sum is kept in two floats, since its terms may
//! cancel, and `tanh` divides by it.

use super::steps::double::{Double, Function};

/// e^x - 1. The sign of a zero stays.
pub(crate) struct ExpM1 {
    /// The coefficients of (e^r - 1 - r) / r^2, the highest power first.
    powers: &'static [f64],
}

/// The hyperbolic tangent. The sign of a zero stays.
pub(crate) struct Tanh(ExpM1);

impl ExpM1 {
    pub(crate) const F32: ExpM1 = ExpM1 {
        powers: &[
            0.000_199_075_352_389_890_54,
            0.001_393_364_412_790_209_8,
            0.008_333_286_079_507_854,
            0.041_666_464_967_739_97,
            0.166_666_667_562_860_36,
            0.500_000_001_346_544_3,
        ],
    };

    pub(crate) const F64: ExpM1 = ExpM1 {
        powers: &[
            2.092_157_841_866_830_7e-9,
            2.510_520_684_692_951_8e-8,
            2.755_725_293_868_641e-7,
            2.755_725_542_449_122_5e-6,
            2.480_158_734_731_893e-5,
            0.000_198_412_698_748_016_83,
            0.001_388_888_888_887_440_4,
            0.008_333_333_333_326_141,
            0.041_666_666_666_666_685,
            0.166_666_666_666_666_7,
            0.5,
        ],
    };
}

impl Tanh {
    pub(crate) const F32: Tanh = Tanh(ExpM1::F32);
    pub(crate) const F64: Tanh = Tanh(ExpM1::F64);
}

/// 1.5 times 2^52. Adding it to a number rounds the number to an integer, which the low bits of the sum hold.
pub(super) const MIDDLE: f64 = 6_755_399_441_055_744.0;
/// -ln 2 in two parts. The high part has few enough bits that its product with n is exact.
const MINUS_LN2: [f64; 2] = [-0.693_147_180_559_890_3, -5.497_923_018_708_371e-14];
const HALF: u64 = 0.5f64.to_bits();
/// 2^-54: smaller numbers are their own results.
const TINY: f64 = 1.0 / (1u64 << 54) as f64;

impl Function<1> for ExpM1 {
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x]: [S::Float; 1]) -> S::Float {
        // Beyond these limits, the results are -1 and infinity.
        let x1 = f.at_least("x1", x, -40.0);
        let x1 = f.at_most("x1", x1, 710.0);
        let [half, _] = self.half(f, x1);
        let y = f.add("y", half, half);
        let (size, tiny) = (f.abs("_", x), f.constant(TINY));
        let tiny = f.less("_", size, tiny);
        f.select("_", tiny, [x, y])
    }
}

impl Function<1> for Tanh {
    /// With E = (e^2|x| - 1) / 2, the result is E / (E + 1).
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x]: [S::Float; 1]) -> S::Float {
        let size = f.abs("size", x);
        let twice = f.add("twice", size, size);
        // Above this limit, the result rounds to 1.
        let twice = f.at_most("limited", twice, 44.0);
        let [high, low] = self.0.half(f, twice);
        let one = f.constant(1.0);
        let [below, below_low] = two_sum(f, high, one);
        let below_low = f.add("_", below_low, low);
        // Newton's correction of a quotient by its remainder.
        let reciprocal = f.div("reciprocal", one, below);
        let quotient = f.mul("quotient", high, reciprocal);
        let negative = f.neg("negative", quotient);
        let remainder = f.mul_add("_", negative, below, high);
        let remainder = f.add("_", remainder, low);
        let remainder = f.mul_add("_", negative, below_low, remainder);
        let y = f.mul_add("y", remainder, reciprocal, quotient);
        f.signed_like("_", y, x)
    }
}

impl ExpM1 {
    /// Returns (e^x - 1) / 2 as the sum of two floats, for x between -40 and 710.
    #[inline(always)]
    fn half<S: Double>(&self, f: &mut S, x: S::Float) -> [S::Float; 2] {
        let (per_ln2, middle) = (f.constant(std::f64::consts::LOG2_E), f.constant(MIDDLE));
        let t = f.mul_add("t", x, per_ln2, middle);
        let n = f.sub("n", t, middle);
        let [high, low] = MINUS_LN2.map(|part| f.constant(part));
        let r0 = f.mul_add("r0", n, high, x);
        let r = f.mul_add("r", n, low, r0);
        // What this rounding loses.
        let lost = f.sub("_", r0, r);
        let lost = f.mul_add("_", n, low, lost);
        let square = f.mul("_", r, r);
        let p = f.polynomial("p", self.powers, r);
        let tail = f.mul_add("tail", p, square, lost);
        // s = 2^n / 2.
        let (t, half) = (f.to_bits("_", t), f.word(HALF));
        let t = f.shifted_left("_", t, 52);
        let s = f.add_words("_", t, half);
        let s = f.of_bits("s", s);
        let half = f.constant(0.5);
        let first = f.sub("first", s, half);
        let lost = f.sub("_", s, first);
        let lost = f.sub("lost", lost, half);
        let second = f.mul("second", s, r);
        let [sum, rest] = fast_two_sum(f, first, second);
        let rest = f.add("_", rest, lost);
        let third = f.mul_add("third", s, tail, rest);
        fast_two_sum(f, sum, third)
    }
}

/// Returns a + b as a float and what its rounding loses (D. E. Knuth, The Art of Computer Programming, vol. 2, §4.2.2).
#[inline(always)]
pub(super) fn two_sum<S: Double>(f: &mut S, a: S::Float, b: S::Float) -> [S::Float; 2] {
    let sum = f.add("sum", a, b);
    let of_b = f.sub("of_b", sum, a);
    let of_a = f.sub("_", sum, of_b);
    let (lost_a, lost_b) = (f.sub("_", a, of_a), f.sub("_", b, of_b));
    [sum, f.add("lost", lost_a, lost_b)]
}

/// Returns the same for |a| >= |b|, and for a = 0 (ibid., by T. J. Dekker).
#[inline(always)]
pub(super) fn fast_two_sum<S: Double>(f: &mut S, a: S::Float, b: S::Float) -> [S::Float; 2] {
    let sum = f.add("sum", a, b);
    let of_b = f.sub("_", sum, a);
    [sum, f.sub("lost", b, of_b)]
}
