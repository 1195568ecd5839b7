//! A wrong number of params. Several params are a struct, and a reduction without params takes none.
use reducegen::reduction;

fn main() {
    let line = reduction! { ty: f32, params: { a: f32, b: f32 }, map: |x| a * x + b, op: sum };
    let _ = line.with(2.0).reduce(&[1.0, 2.0]);
    let sum = reduction! { ty: f32, op: sum };
    let _ = sum.with(2.0).reduce(&[1.0, 2.0]);
}
