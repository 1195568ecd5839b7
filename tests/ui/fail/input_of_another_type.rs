//! A slice of another type than the input.
use reducegen::reduction;

fn main() {
    let sum = reduction! { op: sum, ty: f32 };
    let _ = sum.reduce(&[1.0f64]);
}
