//! `powf` of `f32`, computed in `f64`: the magnitude of x^y is 2^(y log2 |x|).

use super::exp_m1::MIDDLE;
use super::log2;
use super::steps::double::{Double, Function, SIGN};

/// x to the power of y, with the special values of IEEE 754-2019 `pow`.
pub(crate) struct Powf;

/// The coefficients of 2^r for |r| <= 1/2, the highest power first. The last is exact, for y = 0.
const POWERS: [f64; 8] = [
    1.531_003_831_002_842_2e-5,
    0.000_154_614_477_331_634_82,
    0.001_333_345_470_370_801_2,
    0.009_618_056_668_707_744,
    0.055_504_109_286_231_125,
    0.240_226_509_223_597_12,
    0.693_147_180_553_743,
    1.0,
];

/// 2^25: all greater `f32` are even integers.
const EVEN: f64 = (1u64 << 25) as f64;

impl Function<2> for Powf {
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x, y]: [S::Float; 2]) -> S::Float {
        let size = f.abs("size", x);
        let log = log2::single(f, size);
        // An infinite exponent of 1 would give NaN.
        let (least, most) = (-f64::from(f32::MAX), f64::from(f32::MAX));
        let y1 = f.at_least("_", y, least);
        let y1 = f.at_most("y1", y1, most);
        let z = f.mul("z", y1, log);
        let power = exp2(f, z);
        let (zero, one) = (f.constant(0.0), f.constant(1.0));
        let power = with_sign(f, [x, y], power);
        // These exponents and bases have the result 1 also with a NaN.
        let (no_factor, is_one) = (f.equal("_", y, zero), f.equal("_", x, one));
        let is_one = f.either("_", no_factor, is_one);
        f.select("_", is_one, [one, power])
    }
}

/// Returns 2^z as an `f64` that is normal, but infinite or 0 as an `f32` if z is beyond its range.
#[inline(always)]
fn exp2<S: Double>(f: &mut S, z: S::Float) -> S::Float {
    let z = f.at_least("_", z, -1000.0);
    let z = f.at_most("z", z, 1000.0);
    let middle = f.constant(MIDDLE);
    let t = f.add("t", z, middle);
    let n = f.sub("_", t, middle);
    let r = f.sub("r", z, n);
    let p = f.polynomial("p", &POWERS, r);
    let (bits, t) = (f.to_bits("_", p), f.to_bits("_", t));
    let n = f.shifted_left("_", t, 52);
    let bits = f.add_words("_", bits, n);
    f.of_bits("power", bits)
}

/// Returns the power with its sign: the sign of x if y is odd; NaN if x is negative and y has a fraction.
#[inline(always)]
fn with_sign<S: Double>(f: &mut S, [x, y]: [S::Float; 2], power: S::Float) -> S::Float {
    let size = f.abs("_", y);
    let size = f.at_most("y_size", size, EVEN);
    let middle = f.constant(MIDDLE);
    let t = f.add("t", size, middle);
    let rounded = f.sub("_", t, middle);
    let is_whole = f.equal("is_whole", rounded, size);
    // The lowest bit of the rounded exponent, where the sign is.
    let (t, x_bits) = (f.to_bits("_", t), f.to_bits("_", x));
    let odd = f.shifted_left("_", t, 63);
    let sign = f.and("_", odd, x_bits);
    let sign = f.bits_of("_", sign, SIGN);
    let bits = f.to_bits("_", power);
    let bits = f.or("_", bits, sign);
    let signed = f.of_bits("_", bits);
    let (zero, infinity, nan) = (f.constant(0.0), f.constant(f64::NEG_INFINITY), f.constant(f64::NAN));
    // Minus infinity has powers with every exponent.
    let is_infinite = f.equal("_", x, infinity);
    let of_negative = f.select("_", is_infinite, [power, nan]);
    let is_negative = f.less("_", x, zero);
    let of_fraction = f.select("_", is_negative, [of_negative, power]);
    f.select("_", is_whole, [signed, of_fraction])
}
