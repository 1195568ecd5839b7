//! A vector width that no load has.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, passes: [shuffle, vectorize(3)] };
}
