//! A layout that there is not.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, layout: stride };
}
