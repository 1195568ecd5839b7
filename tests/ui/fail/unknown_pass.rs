//! A misspelt pass.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, passes: [shufle, coarsen(4)] };
}
