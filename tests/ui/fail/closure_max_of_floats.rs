//! Rust's max ignores NaN.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| x.max(0.0), op: sum };
}
