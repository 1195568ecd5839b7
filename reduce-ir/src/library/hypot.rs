//! `hypot`: the root of a sum of squares, which neither overflows nor vanishes on the way.

use super::steps::double::{Double, Function};

/// The root of x^2 + y^2. If either is infinite, the result is infinite, also for a NaN.
pub(crate) struct Hypot {
    /// Whether squares may leave the range of `f64`.
    scales: bool,
}

impl Hypot {
    /// The squares of `f32` are exact in `f64`.
    pub(crate) const F32: Hypot = Hypot { scales: false };
    pub(crate) const F64: Hypot = Hypot { scales: true };
}

/// 2^500: between its inverse and itself, the larger number has a square that is normal, and so is its sum with another.
const FAR: f64 = f64::from_bits((1023 + 500) << 52);
/// 2^600 moves numbers beyond [`FAR`] into that range.
const SCALE: f64 = f64::from_bits((1023 + 600) << 52);

impl Function<2> for Hypot {
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x, y]: [S::Float; 2]) -> S::Float {
        let (a, b) = (f.abs("a", x), f.abs("b", y));
        let ordered = f.less("ordered", a, b);
        let large = f.select("large", ordered, [b, a]);
        let small = f.select("small", ordered, [a, b]);
        let root = if self.scales { scaled(f, large, small) } else { root_of_squares(f, large, small) };
        let infinity = f.constant(f64::INFINITY);
        let (first, second) = (f.equal("_", a, infinity), f.equal("_", b, infinity));
        let infinite = f.either("_", first, second);
        f.select("_", infinite, [infinity, root])
    }
}

#[inline(always)]
fn scaled<S: Double>(f: &mut S, large: S::Float, small: S::Float) -> S::Float {
    let [far, near] = [FAR, 1.0 / FAR].map(|limit| f.constant(limit));
    let [up, one, down] = [SCALE, 1.0, 1.0 / SCALE].map(|factor| f.constant(factor));
    let (is_far, is_near) = (f.greater("is_far", large, far), f.less("is_near", large, near));
    let factor = f.select("_", is_near, [up, one]);
    let factor = f.select("factor", is_far, [down, factor]);
    let inverse = f.select("_", is_near, [down, one]);
    let inverse = f.select("inverse", is_far, [up, inverse]);
    let (large, small) = (f.mul("large", large, factor), f.mul("small", small, factor));
    let root = root_of_squares(f, large, small);
    f.mul("root", root, inverse)
}

#[inline(always)]
fn root_of_squares<S: Double>(f: &mut S, large: S::Float, small: S::Float) -> S::Float {
    let square = f.mul("_", large, large);
    let sum = f.mul_add("_", small, small, square);
    f.sqrt("root", sum)
}
