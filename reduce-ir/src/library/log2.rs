//! `log2` and `ln_1p`, by the polynomial of [`ln`](super::ln).

use super::exp_m1::{MIDDLE, fast_two_sum, two_sum};
use super::ln::{self, Ln};
use super::steps::double::{Double, Function};

/// The logarithm to base 2. Powers of two have exact results.
pub(crate) struct Log2 {
    /// Whether the result is rounded from twice its precision.
    is_double: bool,
}

impl Log2 {
    pub(crate) const F32: Log2 = Log2 { is_double: false };
    pub(crate) const F64: Log2 = Log2 { is_double: true };
}

/// 1 / ln 2 as the sum of two floats.
const PER_LN2: [f64; 2] = [std::f64::consts::LOG2_E, 2.035_527_374_093_103_3e-17];

impl Function<1> for Log2 {
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x]: [S::Float; 1]) -> S::Float {
        if self.is_double { double(f, x) } else { single(f, x) }
    }
}

/// x = 2^e (1 + v), so log2 x = e + ln(1 + v) / ln 2. Every `f32` is a normal `f64`.
#[inline(always)]
pub(super) fn single<S: Double>(f: &mut S, x: S::Float) -> S::Float {
    let ln::Split { e, v } = ln::split_normal(f, &ln::SHORT, x);
    let square = f.mul("_", v, v);
    let p = f.polynomial("p", ln::SHORT.powers, v);
    let ln = f.mul_add("ln", p, square, v);
    let per_ln2 = f.constant(PER_LN2[0]);
    let log = f.mul_add("log", ln, per_ln2, e);
    ln::special(f, &ln::SHORT, x, log)
}

#[inline(always)]
fn double<S: Double>(f: &mut S, x: S::Float) -> S::Float {
    let ln::Split { e, v } = ln::split(f, &ln::F64, x);
    let square = f.mul("_", v, v);
    let p = f.polynomial("p", ln::F64.powers, v);
    let small = f.mul("small", p, square);
    // v / ln 2, and what its rounding loses.
    let [high, low] = PER_LN2.map(|part| f.constant(part));
    let first = f.mul("first", v, high);
    let negative = f.neg("_", first);
    let lost = f.mul_add("_", v, high, negative);
    let lost = f.mul_add("_", v, low, lost);
    let tail = f.mul_add("tail", small, high, lost);
    let [sum, rest] = fast_two_sum(f, e, first);
    let tail = f.add("_", rest, tail);
    let log = f.add("log", sum, tail);
    ln::special(f, &ln::F64, x, log)
}

/// ln(1 + x). The sign of a zero stays.
pub(crate) struct Ln1p(&'static Ln<f64>);

impl Ln1p {
    pub(crate) const F32: Ln1p = Ln1p(&ln::SHORT);
    pub(crate) const F64: Ln1p = Ln1p(&ln::F64);
}

impl Function<1> for Ln1p {
    /// 1 + x = u + c, where c is the rounding error of u. u = 2^e (1 + v), so 1 + x = 2^e (1 + v + c / 2^e).
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x]: [S::Float; 1]) -> S::Float {
        let one = f.constant(1.0);
        let [u, c] = two_sum(f, one, x);
        let ln::Split { e, v } = ln::split_normal(f, self.0, u);
        // 2^-e. For large e, c does not count.
        let (limited, middle) = (f.at_most("_", e, 60.0), f.constant(MIDDLE));
        let n = f.add("_", limited, middle);
        let n = f.to_bits("_", n);
        let (n, one) = (f.shifted_left("_", n, 52), f.to_bits("_", one));
        let scale = f.sub_words("_", one, n);
        let scale = f.of_bits("_", scale);
        let c = f.mul("c", c, scale);
        let [r, rest] = fast_two_sum(f, v, c);
        let y = self.of_sum(f, e, r, rest);
        let y = ln::special(f, self.0, u, y);
        f.signed_like("_", y, x)
    }
}

impl Ln1p {
    /// Returns e ln 2 + ln(1 + r + rest). For a small rest, ln(1 + r + rest) is ln(1 + r) + rest (1 - r).
    #[inline(always)]
    fn of_sum<S: Double>(&self, f: &mut S, e: S::Float, r: S::Float, rest: S::Float) -> S::Float {
        let square = f.mul("_", r, r);
        let p = f.polynomial("p", self.0.powers, r);
        let negative = f.neg("_", rest);
        let mut small = f.mul_add("_", negative, r, rest);
        if let Some(low) = self.0.ln2_low {
            let low = f.constant(low);
            small = f.mul_add("small", e, low, small);
        }
        let small = f.mul_add("_", p, square, small);
        let tail = f.add("tail", r, small);
        let ln2 = f.constant(self.0.ln2);
        f.mul_add("y", e, ln2, tail)
    }
}
