//! An identity that is not an f32.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, identity: 0 };
}
