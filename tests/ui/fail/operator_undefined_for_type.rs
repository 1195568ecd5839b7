//! Bits of a float.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: xor, ty: f32 };
}
