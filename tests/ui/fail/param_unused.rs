//! Nothing uses it.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        params: { k: f32 },
        index: i,
        op: sum,
    };
}
