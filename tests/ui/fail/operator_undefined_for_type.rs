//! A bit operation on floats.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: xor, ty: f32 };
}
