//! Closures cannot use names from outside of the macro.
use reducegen::reduction;

const HALF: f32 = 0.5;

fn main() {
    let offset = 1.0;
    let _ = reduction! {
        ty: f32,
        map: |x| x * HALF,
        op: |a, b| a + b + offset,
        identity: 0.0,
        finish: |s| s * half(),
    };
}

fn half() -> f32 {
    HALF
}
