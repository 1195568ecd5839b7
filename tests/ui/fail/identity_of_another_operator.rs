//! An identity that is not neutral.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, identity: 1.0 };
}
