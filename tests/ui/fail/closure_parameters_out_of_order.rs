//! Parameters with the names of other inputs.
use reducegen::reduction;

fn main() {
    let _ = reduction! { inputs: { x: f32, y: f32 }, map: |y, x| y - x, op: sum };
}
