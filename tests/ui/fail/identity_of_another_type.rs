//! An identity that is no f32.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, identity: 0 };
}
