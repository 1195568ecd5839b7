//! The macro does not rely on any name in scope where it is called.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![no_implicit_prelude]
#![deny(warnings)]

use ::reducegen::reduction as reduce;

mod core {}
mod std {}
mod reducegen {}

static SUM: ::reducegen::Reduction<(f64, f64), f64> =
    reduce! { inputs: { x: f64, y: f64 }, map: |x, y| x * y, op: sum, passes: [shuffle, coarsen(4)] };

reduce! {
    pub static RANGE;
    ty: f64,
    params: { k: f64 },
    index: i,
    acc: Range { lo: f64, hi: f64 },
    map: |x| Range { lo: x * k, hi: i as f64 },
    op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
    identity: none,
    finish: |r, n| Range { lo: r.lo, hi: r.hi + n as f64 },
}

static BEST: ::reducegen::Reduction<f32, ::reducegen::MinMax<f32>> = reduce! { ty: f32, op: minmax };

fn main() {
    let _ = (&SUM, &RANGE, &BEST);
}
