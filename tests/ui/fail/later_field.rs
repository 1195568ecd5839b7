//! A field of a later version.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, nan: ignore };
}
