//! The type of a reduction must name its params.
use reducegen::{Reduction, reduction};

static SCALED: Reduction<f32, f32> = reduction! { ty: f32, params: { k: f32 }, map: |x| x * k, op: sum };

fn main() {}
