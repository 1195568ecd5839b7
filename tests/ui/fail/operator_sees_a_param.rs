//! A param in the operator. Only `map`, `fold` and `finish` may use params.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        params: { k: f32 },
        op: |a, b| a + k * b,
        identity: none,
    };
}
