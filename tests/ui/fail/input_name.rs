//! A name that the kernel uses.
use reducegen::reduction;

fn main() {
    let _ = reduction! { inputs: { x: f32, n: f32 }, op: dot };
}
