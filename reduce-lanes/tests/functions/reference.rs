//! The functions to about 100 bits, by series. They share no constant and no reduction with the library.

use crate::long::remainder;
use crate::pairs::{LN_2, Pair};
use std::ops::Add;

/// Returns the sum of x^k / k! for `k` from `first` in steps of `step`, with these signs in turn.
fn series(x: Pair, first: u32, step: u32, signs: [f64; 2]) -> Pair {
    let mut term = (1..=first).fold(Pair::of(1.0), |term, k| term * x / Pair::of(k.into()));
    let least = term.0.abs() * 2f64.powi(-110);
    let mut terms = Vec::new();
    let mut k = first;
    while term.0.abs() > least {
        terms.push(term * Pair::of(signs[terms.len() % 2]));
        term = (k + 1..=k + step).fold(term, |term, k| term * x / Pair::of(k.into()));
        k += step;
    }
    terms.into_iter().rev().fold(Pair::of(0.0), Add::add)
}

/// e^r - 1 for |r| below 1.
fn small_exp_m1(r: Pair) -> Pair {
    let start = series(r.scaled(1.0 / 16.0), 1, 1, [1.0; 2]);
    (0..4).fold(start, |p, _| p * (p + Pair::of(2.0)))
}

/// e^x - 1.
pub(crate) fn exp_m1(x: f64) -> Pair {
    let x = x.max(-100.0);
    let n = (x / LN_2.0).round();
    if n == 0.0 {
        return small_exp_m1(Pair::of(x));
    }
    let p = small_exp_m1(Pair::of(x) - Pair::of(n) * LN_2);
    // In two factors, since 2^1024 is not a float.
    let half = 2f64.powi(n as i32 - 1);
    (p.scaled(half) + (Pair::of(half) - Pair::of(0.5))).scaled(2.0)
}

pub(crate) fn exp2(x: f64) -> Pair {
    let n = x.round();
    let p = small_exp_m1(Pair::of(x - n) * LN_2);
    let half = 2f64.powi((n / 2.0) as i32);
    (p + Pair::of(1.0)).scaled(half).scaled(2f64.powi(n as i32 - (n / 2.0) as i32))
}

/// ln(1 + x).
pub(crate) fn ln_1p(x: f64) -> Pair {
    if x.abs() < 0.5 { small_ln_1p(Pair::of(x)) } else { ln(Pair::of(1.0) + Pair::of(x)) }
}

/// ln(1 + x) for small x, by a step of Newton's method.
fn small_ln_1p(x: Pair) -> Pair {
    let guess = Pair::of(x.0.ln_1p());
    let e = small_exp_m1(-guess);
    // (1 + x) e^-guess - 1
    let t = x + e + x * e;
    guess + t - t * t.scaled(0.5)
}

fn ln(x: Pair) -> Pair {
    let (exponent, rest) = split(x);
    Pair::of(exponent) * LN_2 + small_ln_1p(rest)
}

/// x = 2^exponent (1 + rest).
fn split(x: Pair) -> (f64, Pair) {
    let exponent = x.0.log2().round();
    // In two factors: 2^-1074 and 2^1024 are no normal floats.
    let (first, second) = ((exponent / 2.0) as i32, exponent as i32 - (exponent / 2.0) as i32);
    let m = x.scaled(2f64.powi(-first)).scaled(2f64.powi(-second));
    (exponent, m - Pair::of(1.0))
}

pub(crate) fn log2(x: f64) -> Pair {
    let (exponent, rest) = split(Pair::of(x));
    Pair::of(exponent) + small_ln_1p(rest) / LN_2
}

pub(crate) fn tanh(x: f64) -> Pair {
    let e = exp_m1(2.0 * x.abs().min(50.0));
    let y = e / (e + Pair::of(2.0));
    if x < 0.0 { -y } else { y }
}

/// The sine of x plus so many quarter turns.
pub(crate) fn sine(x: f64, more: u64) -> Pair {
    let (quarters, rest) = remainder(x.abs());
    let (quarters, rest) = if x < 0.0 { (quarters.wrapping_neg(), -rest) } else { (quarters, rest) };
    match quarters.wrapping_add(more) % 4 {
        0 => series(rest, 1, 2, [1.0, -1.0]),
        1 => series(rest, 0, 2, [1.0, -1.0]),
        2 => -series(rest, 1, 2, [1.0, -1.0]),
        _ => -series(rest, 0, 2, [1.0, -1.0]),
    }
}

pub(crate) fn hypot(x: f64, y: f64) -> Pair {
    let (large, small) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    let exponent = (large.log2().floor() as i32).clamp(-1000, 1000);
    let (up, down) = (2f64.powi(-exponent), 2f64.powi(exponent));
    let (a, b) = (large * up, small * up);
    (Pair::product(a, a) + Pair::product(b, b)).sqrt().scaled(down)
}
