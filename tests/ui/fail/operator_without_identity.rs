//! A closure needs an identity.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        op: |a, b| a.max(b),
    };
}
