//! `ln`: x = 2^e (1 + f) with 2/3 <= 1 + f < 4/3, so ln x = e ln 2 + ln(1 + f). Near 1, e is 0, so nothing cancels.

use super::steps::{Numbers, Steps};
use crate::arith::Float;

/// The constants of a float format.
pub(crate) struct Ln<T: 'static> {
    /// The smallest normal number.
    least_normal: T,
    /// 2^`fraction`, the factor that makes subnormals normal.
    scale: T,
    /// The bits of 2/3.
    two_thirds: u64,
    /// The bits of 2.
    two: u64,
    /// 2^`fraction` plus 1 and the bias of the exponent; for subnormals, `fraction` more.
    exponent_zero: [T; 2],
    /// The coefficients of (ln(1 + f) - f) / f^2, the highest power first.
    pub(super) powers: &'static [T],
    /// ln 2. If there is a low part, it has few enough bits that its product with e is exact.
    pub(super) ln2: T,
    /// The rest of ln 2, for formats that are precise enough to need it.
    pub(super) ln2_low: Option<T>,
    /// The number of bits of the fraction.
    fraction: u32,
    one: T,
    infinities: [T; 2],
    pub(super) zero: T,
    nan: T,
}

pub(crate) const F32: Ln<f32> = Ln {
    least_normal: f32::MIN_POSITIVE,
    scale: 8_388_608.0,
    two_thirds: 0x3f2a_aaab,
    two: 0x4000_0000,
    exponent_zero: [8_388_736.0, 8_388_759.0],
    powers: &[
        -0.129_295_2,
        0.139_924_08,
        -0.121_865_02,
        0.140_036_06,
        -0.166_800_42,
        0.200_103_82,
        -0.249_998_3,
        0.333_332_36,
        -0.499_999_97,
    ],
    ln2: std::f32::consts::LN_2,
    // Omitting it costs 0.06 units in the last place of the smallest result for which e is not 0.
    ln2_low: None,
    fraction: 23,
    one: 1.0,
    infinities: [f32::INFINITY, f32::NEG_INFINITY],
    zero: 0.0,
    nan: f32::NAN,
};

pub(crate) const F64: Ln<f64> = Ln {
    least_normal: f64::MIN_POSITIVE,
    scale: 4_503_599_627_370_496.0,
    two_thirds: 0x3fe5_5555_5555_5555,
    two: 0x4000_0000_0000_0000,
    exponent_zero: [4_503_599_627_371_520.0, 4_503_599_627_371_572.0],
    powers: &[
        0.085_076_178_812_056_76,
        -0.086_929_544_571_529_56,
        0.041_710_229_796_766_654,
        -0.045_359_210_027_631_55,
        0.060_527_909_438_434_405,
        -0.063_997_094_747_893_65,
        0.066_505_251_418_876_64,
        -0.071_296_525_817_655_07,
        0.076_932_762_018_276_16,
        -0.083_340_609_224_529_5,
        0.090_908_722_069_935_29,
        -0.099_999_750_412_550_53,
        0.111_111_119_744_491_75,
        -0.125_000_005_119_956_13,
        0.142_857_142_742_025_2,
        -0.166_666_666_609_211_3,
        0.200_000_000_000_745_94,
        -0.250_000_000_000_294_2,
        0.333_333_333_333_331_76,
        -0.499_999_999_999_999_56,
    ],
    ln2: 0.693_147_180_559_890_3,
    ln2_low: Some(5.497_923_018_708_371e-14),
    fraction: 52,
    one: 1.0,
    infinities: [f64::INFINITY, f64::NEG_INFINITY],
    zero: 0.0,
    nan: f64::NAN,
};

/// For functions of `f32` that compute in `f64`.
pub(super) const SHORT: Ln<f64> = Ln {
    powers: &[
        0.100_477_219_172_480_48,
        -0.101_904_696_945_363_29,
        0.070_373_263_313_208_55,
        -0.078_334_322_853_936_68,
        0.091_534_150_837_957_96,
        -0.100_392_396_258_147_48,
        0.111_079_408_227_442_68,
        -0.124_984_409_586_365_39,
        0.142_857_969_961_720_9,
        -0.166_666_959_563_558_81,
        0.199_999_990_411_312_22,
        -0.249_999_997_944_776_73,
        0.333_333_333_365_906_1,
        -0.500_000_000_002_348_8,
    ],
    ..F64
};

/// Returns `ln` of a number.
#[inline(always)]
pub(crate) fn of<T: Float>(consts: &Ln<T>, x: T) -> T {
    ln(consts, &mut Numbers, x)
}

#[inline(always)]
pub(super) fn ln<T: Float, S: Steps<T>>(consts: &Ln<T>, f: &mut S, x: S::Float) -> S::Float {
    let Split { e, v } = split(f, consts, x);
    let square = f.mul("square", v, v);
    let p = f.polynomial("p", consts.powers, v);
    let tail = match consts.ln2_low {
        None => f.mul_add("tail", p, square, v),
        // The low part joins the small square, where its rounding costs nothing.
        Some(low) => {
            let low = f.constant(low);
            let low = f.mul("_", e, low);
            let small = f.mul_add("small", p, square, low);
            f.add("tail", v, small)
        }
    };
    let ln2 = f.constant(consts.ln2);
    let y = f.mul_add("y", e, ln2, tail);
    special(f, consts, x, y)
}

/// x = 2^e (1 + v) with 2/3 <= 1 + v < 4/3.
pub(super) struct Split<F> {
    pub(super) e: F,
    pub(super) v: F,
}

/// Splits a number above 0. Other arguments take the same steps, with unspecified results.
#[inline(always)]
pub(super) fn split<T: Float, S: Steps<T>>(f: &mut S, consts: &Ln<T>, x: S::Float) -> Split<S::Float> {
    let (least, scale) = (f.constant(consts.least_normal), f.constant(consts.scale));
    let [normal, scaled] = consts.exponent_zero;
    let (normal, scaled) = (f.constant(normal), f.constant(scaled));
    let subnormal = f.less("subnormal", x, least);
    let zero = f.select("zero", subnormal, [scaled, normal]);
    let scaled = f.mul("_", x, scale);
    let x1 = f.select("x1", subnormal, [scaled, x]);
    split_at(f, consts, x1, zero)
}

/// Splits a normal number above 0.
#[inline(always)]
pub(super) fn split_normal<T: Float, S: Steps<T>>(f: &mut S, consts: &Ln<T>, x: S::Float) -> Split<S::Float> {
    let zero = f.constant(consts.exponent_zero[0]);
    split_at(f, consts, x, zero)
}

/// Splits a normal number into its exponent e and its significand. In the difference of its bits and the bits of 2/3, the exponent
/// field gives e, after `zero` is subtracted, and the fraction field counts from the significand 2/3.
#[inline(always)]
fn split_at<T: Float, S: Steps<T>>(
    f: &mut S,
    consts: &Ln<T>,
    x: S::Float,
    zero: S::Float,
) -> Split<S::Float> {
    let two_thirds = f.word(consts.two_thirds);
    let below_two = f.word(consts.two - consts.two_thirds);
    let (fraction, mask) = (f.distance(consts.fraction), f.word((1 << consts.fraction) - 1));
    let bits = f.to_bits("_", x);
    let i = f.add_words("i", bits, below_two);
    // In the low bits of 2^fraction, the exponent is a float without a conversion, which is slow on GPUs.
    let scale = f.word(consts.scale.to_bits64());
    let k = f.shr("k", i, fraction);
    let k = f.or("_", k, scale);
    let k = f.of_bits("_", k);
    let e = f.sub("e", k, zero);
    let m = f.and("_", i, mask);
    let m = f.add_words("_", m, two_thirds);
    let m = f.of_bits("m", m);
    // This difference is exact.
    let one = f.constant(consts.one);
    Split { e, v: f.sub("f", m, one) }
}

/// Returns `y` if x is finite and above 0, infinity for infinity, -infinity for zeros, and NaN otherwise.
#[inline(always)]
pub(super) fn special<T: Float, S: Steps<T>>(
    f: &mut S,
    consts: &Ln<T>,
    x: S::Float,
    y: S::Float,
) -> S::Float {
    let (infinity, minus_infinity) = (f.constant(consts.infinities[0]), f.constant(consts.infinities[1]));
    let (zero, nan) = (f.constant(consts.zero), f.constant(consts.nan));
    let finite = f.less("_", x, infinity);
    let y = f.select("of_positive", finite, [y, infinity]);
    let is_zero = f.equal("_", x, zero);
    let others = f.select("of_others", is_zero, [minus_infinity, nan]);
    let positive = f.greater("_", x, zero);
    f.select("_", positive, [y, others])
}
