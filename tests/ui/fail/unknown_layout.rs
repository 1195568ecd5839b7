//! An unknown layout.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, layout: stride };
}
