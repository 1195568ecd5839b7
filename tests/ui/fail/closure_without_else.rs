//! An `if` without a value for the other case.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| if x > 0.0 { x },
        op: sum,
    };
}
