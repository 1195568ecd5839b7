//! Vectors of elements that are not neighbours.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, layout: strided, passes: [vectorize(4), shuffle] };
}
