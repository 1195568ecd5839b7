//! The macro relies on no name that is in scope where it is called.
#![no_implicit_prelude]
#![deny(warnings)]

use ::reducegen::reduction as reduce;

mod core {}
mod std {}
mod reducegen {}

static SUM: ::reducegen::Reduction<(f64, f64), f64> =
    reduce! { inputs: { x: f64, y: f64 }, map: |x, y| x * y, op: sum, passes: [shuffle, coarsen(4)] };

fn main() {
    let _ = &SUM;
}
