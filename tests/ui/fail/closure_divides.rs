//! A divisor that may be 0.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        inputs: { x: i32, y: i32 },
        map: |x, y| x / y,
        op: sum,
    };
}
