//! An assignment to a variable that is not mutable.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| {
            let y = x;
            if y < 0.0 {
                y = 0.0;
            }
            y
        },
        op: sum,
    };
}
