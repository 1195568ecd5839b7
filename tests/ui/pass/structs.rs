//! A struct of the user is a public type where it is written, and lints apply only to the user's code.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![deny(missing_docs, unused, warnings, unreachable_pub)]

use reducegen::{Compiled, Device, Error, Reduction, reduction};

/// A struct of the same name is a different type.
pub struct Range;

/// One field is never read outside of the closures.
fn lowest(x: &[f64]) -> Result<f64, Error> {
    let range = reduction! {
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    };
    Ok(range.reduce(x)?.lo)
}

/// The result is another struct than the accumulator.
fn center(x: &[f64]) -> Result<f64, Error> {
    let center = reduction! {
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
        finish: |r| Ball { center: (r.lo + r.hi) / 2.0, radius: (r.hi - r.lo) / 2.0 },
    };
    let ball = center.compile(&Device::host())?.reduce(x)?;
    let same = ball;
    assert!(ball == same && format!("{ball:?}").starts_with("Ball { center: "));
    Ok(ball.center)
}

/// A scalar result hides both structs.
static SPREAD: Reduction<f64, f64, f64> = reduction! {
    ty: f64,
    params: { scale: f64 },
    index: i,
    acc: Range { lo: f64, hi: f64 },
    map: |x| if i == 0 { Range { lo: x, hi: x } } else { Range { lo: x * scale, hi: x * scale } },
    op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
    identity: none,
    finish: |r| r.hi - r.lo,
};

fn main() {
    let _ = Range;
    assert_eq!(lowest(&[3.0, -1.0, 2.0]).unwrap(), -1.0);
    assert_eq!(center(&[3.0, -1.0, 2.0]).unwrap(), 1.0);
    assert_eq!(SPREAD.with(2.0).reduce(&[3.0, -1.0, 2.0]).unwrap(), 6.0);
    let compiled: Compiled<f64, f64, f64> = SPREAD.compile(&Device::host()).unwrap();
    assert_eq!(compiled.with(1.0).reduce(&[3.0, -1.0, 2.0]).unwrap(), 4.0);
}
