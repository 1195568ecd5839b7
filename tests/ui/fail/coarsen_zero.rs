//! An argument out of range.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, passes: [coarsen(0)] };
}
