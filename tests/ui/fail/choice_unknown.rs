//! An unknown choice.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        op: max,
        nan: skip,
        ties: last,
    };
}
