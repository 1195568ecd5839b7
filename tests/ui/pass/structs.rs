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
    let all: shared::Extent = shared::OF_ALL.reduce(&[1.0, -2.0]).unwrap();
    assert_eq!(all, shared::Extent { bounds: [-2.0, 1.0], count: 2 });
    let squares: shared::Extent = shared::OF_SQUARES.reduce(&[1.0, -2.0]).unwrap();
    assert_eq!((squares.bounds, squares.count), ([0.0, 4.0], 2));
    let compiled: Compiled<f64, f64, f64> = SPREAD.compile(&Device::host()).unwrap();
    assert_eq!(compiled.with(1.0).reduce(&[3.0, -1.0, 2.0]).unwrap(), 4.0);
}

mod shared {
    use reducegen::reduction;

    /// A struct of the user, with methods and another derive.
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
    pub(crate) struct Extent {
        pub bounds: [f32; 2],
        pub count: u64,
    }

    reducegen::output!(Extent { bounds, count });

    reduction! {
        pub static OF_ALL;
        ty: f32,
        acc: self::Extent { bounds: [f32; 2], count: u64 },
        map: |x| Extent { bounds: [x, x], count: 1 },
        op: |a, b| Extent {
            bounds: [a.bounds[0].min(b.bounds[0]), a.bounds[1].max(b.bounds[1])],
            count: a.count + b.count,
        },
        identity: none,
    }

    reduction! {
        pub static OF_SQUARES;
        ty: f32,
        map: |x| (x * x, 1u64),
        op: |a, b| (a.0.max(b.0), a.1 + b.1),
        identity: (0.0, 0),
        finish: |m| self::Extent { bounds: [0.0, m.0], count: m.1 },
    }
}
