//! Every mistake in axes is reported at its word.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, axes: i .. (j) k i -> 1 2 k k (i k) };
}
