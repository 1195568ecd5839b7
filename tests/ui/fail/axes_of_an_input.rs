//! Axes between braces, of an input that is not declared.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        inputs: { x: f32, w: f32 },
        axes: { x: b c, y: c } -> b,
        map: |x, w| x * w,
        op: sum,
    };
}
