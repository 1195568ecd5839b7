//! All errors are shown, each at its own place.
use reducegen::{Reduction, reduction};

static WRONG: Reduction<f32, f32> = reduction! {
    op: summ,
    ty: f23,
    map: |x| x.abss() + y,
    passes: [shufle, coarsen(0)],
    block: 100,
};

fn main() {}
