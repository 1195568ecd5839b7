//! A result of no elements that is not a constant.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, params: { k: f32 }, map: |x| k * x, empty: k };
}
