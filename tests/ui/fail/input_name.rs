//! A name that means something in functions.
use reducegen::reduction;

fn main() {
    let _ = reduction! { inputs: { x: f32, n: f32 }, op: dot };
}
