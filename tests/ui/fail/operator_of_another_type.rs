//! A comparison, whose result is not an accumulator.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        op: |a, b| a > b,
        identity: none,
    };
}
