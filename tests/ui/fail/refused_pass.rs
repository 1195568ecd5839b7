//! A list of passes that does not apply, found by running it.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, passes: [shuffle, coarsen(4), shuffle] };
}
