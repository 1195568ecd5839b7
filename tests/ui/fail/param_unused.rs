//! A param that no closure uses.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        params: { k: f32 },
        index: i,
        op: sum,
    };
}
