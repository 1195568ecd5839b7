//! The type of the constant says what goes in and what comes out.
use reducegen::{Reduction, reduction};

static COUNT: Reduction<f32, f32> = reduction! { op: argmax, ty: f32 };

fn main() {}
