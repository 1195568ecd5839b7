//! The number of elements is a parameter.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        op: sum,
        finish: |s| s / n as f32,
    };
}
