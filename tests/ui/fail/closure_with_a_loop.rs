//! A loop, where the reduction itself is the loop over elements.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| {
            let mut y = x;
            for _ in 0..3 {
                y *= 2.0;
            }
            y
        },
        op: sum,
    };
}
