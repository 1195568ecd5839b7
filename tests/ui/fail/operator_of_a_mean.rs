//! The mean of means is not the mean.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        op: |a, b| (a + b) / 2.0,
        identity: none,
    };
}
