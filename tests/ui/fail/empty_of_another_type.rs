//! A result of no elements that is not an f32.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: max, ty: f32, empty: -1 };
}
