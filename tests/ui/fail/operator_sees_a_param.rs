//! Params are for the elements and the result.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        params: { k: f32 },
        op: |a, b| a + k * b,
        identity: none,
    };
}
