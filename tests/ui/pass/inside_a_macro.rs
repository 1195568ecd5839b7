//! A macro of the user may make the specification.
use reducegen::{Reduction, reduction};

macro_rules! largest {
    ($ty:ident, $map:expr) => {
        reduction! { ty: $ty, map: |x| x * $map, op: max }
    };
}

macro_rules! of_fragments {
    ($ty:ty, $op:ident, $block:expr, $k:literal, $map:expr) => {
        reduction! { ty: $ty, map: $map, op: $op, block: $block, passes: [coarsen($k)] }
    };
}

macro_rules! all_of_it {
    ($($token:tt)*) => {
        reduction! { $($token)* }
    };
}

static LARGEST: Reduction<f64, f64> = largest!(f64, (2.0 + 1.0));
static SUM: Reduction<f32, f32> = of_fragments!(f32, sum, 128, 4, |x| x.abs());
static XOR: Reduction<u64, u64> = all_of_it! { ty: u64, op: xor, passes: [shuffle] };

fn main() {
    let _ = (&LARGEST, &SUM, &XOR);
}
