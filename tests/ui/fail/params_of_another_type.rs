//! Values of params have the types of the specification.
use reducegen::reduction;

fn main() {
    let scaled = reduction! { ty: f32, params: { k: f32 }, map: |x| x * k, op: sum };
    let k: f64 = 2.0;
    let _ = scaled.with(k).reduce(&[1.0, 2.0]);
}
