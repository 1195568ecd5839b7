//! Vector loads of elements that are not contiguous.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, layout: strided, passes: [vectorize(4), shuffle] };
}
