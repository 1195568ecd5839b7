//! A field that is written twice.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, op: max };
}
