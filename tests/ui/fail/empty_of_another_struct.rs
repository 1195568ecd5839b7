//! A result of no elements that lacks a field.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: findmax, ty: f32, empty: Best { value: 0.0 } };
}
