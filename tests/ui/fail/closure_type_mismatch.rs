//! rustc's own message for a type error in a closure.
use reducegen::reduction;

fn main() {
    let _ = reduction! { inputs: { x: f32, y: f64 }, map: |x, y| x * y, op: sum };
}
