//! A block that is not a power of two.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, block: 100 };
}
