//! Unused names in a closure, which rustc reports as in any other closure.
#![deny(unused)]
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        inputs: { x: f32, y: f32 },
        params: { k: f32 },
        map: |x, y| {
            let twice = x + x;
            (x * k)
        },
        op: sum,
    };
}
