//! A macro of the user may make the specification.
use reducegen::{Reduction, reduction};

macro_rules! largest {
    ($ty:ident, $map:expr) => {
        reduction! { ty: $ty, map: |x| x * $map, op: max }
    };
}

static LARGEST: Reduction<f64, f64> = largest!(f64, (2.0 + 1.0));

fn main() {
    let _ = &LARGEST;
}
