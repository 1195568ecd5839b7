//! A loop without constant bounds.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| {
            let mut y = x;
            while y < 1.0 {
                y *= 2.0;
            }
            y
        },
        op: sum,
    };
}
