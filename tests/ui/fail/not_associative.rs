//! An operator that no order of evaluation reduces.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sub, ty: f32 };
}
