//! A wrong number of slices. Several inputs are a tuple of slices.
use reducegen::reduction;

fn main() {
    let dot = reduction! { inputs: { x: f32, y: f32 }, op: dot };
    let _ = dot.reduce(&[1.0f32, 2.0]);
    let _ = dot.reduce((&[1.0f32], &[1.0f32], &[1.0f32]));
}
