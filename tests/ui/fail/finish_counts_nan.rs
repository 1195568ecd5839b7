//! With `nan: ignore`, the number of all elements is not a divisor.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, op: sum, nan: ignore, finish: |s, n| s / n as f32 };
}
