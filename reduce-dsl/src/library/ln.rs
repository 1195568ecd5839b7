//! `ln`: x = 2^e (1 + f) with 2/3 <= 1 + f < 4/3, so ln x = e ln 2 + ln(1 + f). Around 1 e is 0, and nothing cancels.

use super::steps::Steps;
use crate::arith::Float;
use crate::constants;
use crate::func::{Func, Id};
use crate::ops::{Bin, Cmp, TypeError, Un};

/// What depends on the format.
pub(super) struct Ln<T: 'static> {
    /// The smallest normal number.
    least_normal: T,
    /// 2^`fraction`, which makes subnormals normal.
    scale: T,
    /// The bits of 2/3.
    two_thirds: u64,
    /// The bits of 2.
    two: u64,
    /// 2^`fraction`, plus 1 and the bias of the exponent; the same for subnormals, plus `fraction`.
    exponent_zero: [T; 2],
    /// (ln(1 + f) - f) / f^2, the highest power first.
    powers: &'static [T],
    /// ln 2; with a low part, of so few bits that e times it is exact.
    ln2: T,
    /// The rest of ln 2, where results are so precise that it matters.
    ln2_low: Option<T>,
    /// The bits of the fraction.
    fraction: u32,
}

pub(super) const F32: Ln<f32> = Ln {
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
    // Left out, it costs 0.06 units in the last place of the smallest result for which e is not 0.
    ln2_low: None,
    fraction: 23,
};

pub(super) const F64: Ln<f64> = Ln {
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
};

pub(super) fn ln<T: Float>(it: &Ln<T>) -> Result<Func, TypeError> {
    let (mut f, x) = Steps::of::<T>();
    // Also of what is not above 0, whose result is replaced in the end.
    let (least, scale) = (f.constant(it.least_normal), f.constant(it.scale));
    let [normal, scaled] = it.exponent_zero.map(|zero| f.constant(zero));
    let subnormal = f.cmp("subnormal", x, Cmp::Lt, least)?;
    let zero = f.select("zero", subnormal, [scaled, normal])?;
    let scaled = f.bin("_", x, Bin::Mul, scale)?;
    let x1 = f.select("x1", subnormal, [scaled, x])?;
    let (e, m) = split(&mut f, it, x1, zero)?;
    // Exact.
    let one = f.value(constants::one(T::TY));
    let v = f.bin("f", m, Bin::Sub, one)?;
    let square = f.bin("square", v, Bin::Mul, v)?;
    let p = f.polynomial("p", it.powers, v)?;
    let tail = match it.ln2_low {
        None => f.mul_add("tail", p, square, v)?,
        // Beside the small square, where its rounding costs nothing.
        Some(low) => {
            let low = f.constant(low);
            let low = f.bin("_", e, Bin::Mul, low)?;
            let small = f.mul_add("small", p, square, low)?;
            f.bin("tail", v, Bin::Add, small)?
        }
    };
    let ln2 = f.constant(it.ln2);
    let y = f.mul_add("y", e, ln2, tail)?;
    let y = special::<T>(&mut f, x, y)?;
    Ok(f.build(y))
}

/// The exponent e and the significand of a normal number. What its bits are above those of 2/3 has e, less the power
/// of 2 that is `zero`, as its exponent, and its fraction counts from that of 2/3.
fn split<T: Float>(f: &mut Steps, it: &Ln<T>, x: Id, zero: Id) -> Result<(Id, Id), TypeError> {
    let two_thirds = f.word::<T>(it.two_thirds);
    let below_two = f.word::<T>(it.two - it.two_thirds);
    let (fraction, mask) = (f.distance(it.fraction), f.word::<T>((1 << it.fraction) - 1));
    let bits = f.un("_", Un::ToBits, x)?;
    let i = f.bin("i", bits, Bin::Add, below_two)?;
    // As the low bits of 2^fraction the exponent is a float without a conversion, which GPUs are slow at.
    let scale = f.word::<T>(it.scale.to_bits64());
    let k = f.bin("k", i, Bin::Shr, fraction)?;
    let k = f.bin("_", k, Bin::Or, scale)?;
    let k = f.un("_", Un::FromBits, k)?;
    let e = f.bin("e", k, Bin::Sub, zero)?;
    let m = f.bin("_", i, Bin::And, mask)?;
    let m = f.bin("_", m, Bin::Add, two_thirds)?;
    let m = f.un("m", Un::FromBits, m)?;
    Ok((e, m))
}

/// `y`, where x is finite and above 0; infinity of itself, -infinity of zeros, NaN of the rest.
fn special<T: Float>(f: &mut Steps, x: Id, y: Id) -> Result<Id, TypeError> {
    let [infinity, minus_infinity] =
        [constants::greatest(T::TY), constants::least(T::TY)].map(|it| f.value(it));
    let (zero, nan) = (f.value(constants::zero(T::TY)), f.value(constants::nan(T::TY)));
    let finite = f.cmp("_", x, Cmp::Lt, infinity)?;
    let y = f.select("of_positive", finite, [y, infinity])?;
    let is_zero = f.cmp("_", x, Cmp::Eq, zero)?;
    let others = f.select("of_others", is_zero, [minus_infinity, nan])?;
    let positive = f.cmp("_", x, Cmp::Gt, zero)?;
    f.select("_", positive, [y, others])
}
