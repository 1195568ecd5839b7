//! The type of the constant states the types of inputs and result.
use reducegen::{Reduction, reduction};

static COUNT: Reduction<f32, f32> = reduction! { op: argmax, ty: f32 };

fn main() {}
