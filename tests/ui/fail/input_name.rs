//! A name that has a meaning in functions.
use reducegen::reduction;

fn main() {
    let _ = reduction! { inputs: { x: f32, n: f32 }, op: dot };
}
