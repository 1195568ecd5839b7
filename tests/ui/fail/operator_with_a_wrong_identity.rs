//! An identity that changes elements.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: i32,
        op: |a, b| a.max(b),
        identity: 0,
    };
}
