//! A method that is unstable in Rust.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        op: |a, b| a.maximum(b),
        identity: none,
    };
}
