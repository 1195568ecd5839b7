//! A method that Rust has on nightly.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        op: |a, b| a.maximum(b),
        identity: none,
    };
}
