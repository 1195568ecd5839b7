//! Constants of the crate: one whose type does not follow from its use, and one in an operator.
use reducegen::reduction;

const LIMIT: f32 = 2.0;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| {
            let _ = LIMIT;
            x
        },
        op: |a, b| a + b * LIMIT,
        identity: none,
    };
}
