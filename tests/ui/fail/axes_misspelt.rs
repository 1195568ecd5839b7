//! An axis of the result that the input does not have.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, axes: batch height width -> bacth };
}
