//! No result of no elements, in words.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: argmax, ty: f32, empty: none };
}
