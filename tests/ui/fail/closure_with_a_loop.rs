//! The loop over elements is the reduction itself.
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
