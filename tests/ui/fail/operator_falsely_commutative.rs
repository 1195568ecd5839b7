//! The last element depends on the order.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        op: |_, b| b,
        identity: none,
        commutative: true,
    };
}
