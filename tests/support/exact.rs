//! The exact sum of floats (a superaccumulator), the reference for computed sums.
//!
//! A fixed-point number that never rounds. It is wide enough for 2⁶⁴ products of two `f64` (from 2⁻²¹⁴⁸ to 2²⁰⁴⁸), and for
//! three multiplications by 64-bit numbers, which error bounds need.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

const LIMBS: usize = 72;

/// The exponent of the lowest bit.
const LOWEST: i32 = -2148;

/// A number, or the infinity or NaN that a sum became.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exact {
    /// Two's complement, the lowest limb first.
    limbs: [u64; LIMBS],
    /// The sum of the terms that are not finite, or 0.
    special: f64,
}

/// A float format: bits of the significand, and the exponent of the smallest subnormal.
struct Format {
    precision: u32,
    least: i32,
}

const F32: Format = Format { precision: 24, least: -149 };
const F64: Format = Format { precision: 53, least: -1074 };

impl Exact {
    pub(crate) const ZERO: Exact = Exact { limbs: [0; LIMBS], special: 0.0 };

    /// Returns the sum of floats.
    pub(crate) fn sum(terms: impl IntoIterator<Item = f64>) -> Exact {
        terms.into_iter().fold(Exact::ZERO, |sum, term| sum.plus(term, 1.0))
    }

    /// Returns the sum of products of two floats.
    pub(crate) fn dot(terms: impl IntoIterator<Item = (f64, f64)>) -> Exact {
        terms.into_iter().fold(Exact::ZERO, |sum, (x, y)| sum.plus(x, y))
    }

    /// Adds x · y.
    pub(crate) fn plus(mut self, x: f64, y: f64) -> Exact {
        if !(x.is_finite() && y.is_finite()) {
            self.special += x * y;
            return self;
        }
        let ((a, i), (b, j)) = (parts(x), parts(y));
        let place = (i + j - LOWEST) as usize;
        self.add_term(u128::from(a) * u128::from(b), place, x.is_sign_negative() != y.is_sign_negative());
        self
    }

    /// Adds or subtracts `term` · 2^place.
    fn add_term(&mut self, term: u128, place: usize, negative: bool) {
        let (first, shift) = (place / 64, place % 64);
        let low = term << shift;
        let high = if shift == 0 { 0 } else { (term >> (128 - shift)) as u64 };
        let mut carry = false;
        for (i, limb) in self.limbs[first..].iter_mut().enumerate() {
            let part = [low as u64, (low >> 64) as u64, high].get(i).copied().unwrap_or(0);
            if i > 2 && !carry {
                break;
            }
            let (some, over) = if negative { limb.overflowing_sub(part) } else { limb.overflowing_add(part) };
            let (all, over_again) = if negative {
                some.overflowing_sub(carry.into())
            } else {
                some.overflowing_add(carry.into())
            };
            (*limb, carry) = (all, over || over_again);
        }
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.limbs[LIMBS - 1] >> 63 == 1
    }

    pub(crate) fn abs(self) -> Exact {
        if self.is_negative() { -self } else { self }
    }

    /// Returns the nearest `f64`, ties to even. Zero becomes +0.
    pub(crate) fn to_f64(&self) -> f64 {
        if self.special != 0.0 {
            return self.special;
        }
        let sign = if self.is_negative() { -1.0 } else { 1.0 };
        sign * f64::from_bits(self.clone().abs().rounded(&F64).min(f64::INFINITY.to_bits()))
    }

    /// Returns the nearest `f32`, ties to even. Zero becomes +0.
    pub(crate) fn to_f32(&self) -> f32 {
        if self.special != 0.0 {
            return self.special as f32;
        }
        let sign = if self.is_negative() { -1.0 } else { 1.0 };
        let bits = self.clone().abs().rounded(&F32).min(f32::INFINITY.to_bits().into());
        sign * f32::from_bits(bits as u32)
    }

    /// Returns the bits of the nearest float, or a number above the bits of infinity.
    fn rounded(&self, format: &Format) -> u64 {
        let Some(top) = self.top() else { return 0 };
        let lowest =
            (top + 1).saturating_sub(format.precision as usize).max((format.least - LOWEST) as usize);
        let kept = (lowest..=top).rev().fold(0, |kept, place| kept << 1 | self.bit(place));
        let half = self.bit(lowest - 1);
        let (limbs, bits) = ((lowest - 1) / 64, (lowest - 1) % 64);
        let more =
            self.limbs[..limbs].iter().any(|&limb| limb != 0) || self.limbs[limbs] & ((1 << bits) - 1) != 0;
        let up = half & (u64::from(more) | kept & 1);
        // The leading bit of `kept` increments the exponent, and so does a carry.
        let exponent = (lowest as i32 + LOWEST - format.least) as u64;
        (exponent << (format.precision - 1)) + kept + up
    }

    /// Returns the position of the leading bit of a positive number.
    fn top(&self) -> Option<usize> {
        let limb = self.limbs.iter().rposition(|&limb| limb != 0)?;
        Some(64 * limb + self.limbs[limb].ilog2() as usize)
    }

    fn bit(&self, place: usize) -> u64 {
        self.limbs[place / 64] >> (place % 64) & 1
    }
}

/// Splits a finite float into a whole number and an exponent, without its sign.
fn parts(x: f64) -> (u64, i32) {
    let (exponent, fraction) = ((x.to_bits() >> 52 & 0x7ff) as i32, x.to_bits() & ((1 << 52) - 1));
    if exponent == 0 { (fraction, F64.least) } else { (fraction | 1 << 52, exponent - 1 + F64.least) }
}

/// Compares finite numbers.
impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Exact) -> Option<Ordering> {
        let difference = self.clone() - other.clone();
        match difference.is_negative() {
            _ if difference.special != 0.0 => None,
            true => Some(Ordering::Less),
            false if difference == Exact::ZERO => Some(Ordering::Equal),
            false => Some(Ordering::Greater),
        }
    }
}

impl Neg for Exact {
    type Output = Exact;

    fn neg(self) -> Exact {
        Exact::ZERO - self
    }
}

impl Add for Exact {
    type Output = Exact;

    fn add(self, other: Exact) -> Exact {
        self - -other
    }
}

impl Sub for Exact {
    type Output = Exact;

    fn sub(mut self, other: Exact) -> Exact {
        let mut borrow = false;
        for (limb, part) in self.limbs.iter_mut().zip(other.limbs) {
            let (some, under) = limb.overflowing_sub(part);
            let (all, under_again) = some.overflowing_sub(borrow.into());
            (*limb, borrow) = (all, under || under_again);
        }
        self.special -= other.special;
        self
    }
}

impl Mul<u64> for Exact {
    type Output = Exact;

    fn mul(mut self, factor: u64) -> Exact {
        let mut carry = 0;
        for limb in &mut self.limbs {
            let product = u128::from(*limb) * u128::from(factor) + carry;
            (*limb, carry) = (product as u64, product >> 64);
        }
        self
    }
}
