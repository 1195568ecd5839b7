//! Our error and rustc's report the same mistake.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        inputs: { x: f32, y: f64 },
        map: |x, y| x * y,
        op: sum,
    };
}
