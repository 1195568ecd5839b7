//! A misspelt field.
use reducegen::reduction;

fn main() {
    let _ = reduction! { op: sum, ty: f32, blok: 64 };
}
