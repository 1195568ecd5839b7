//! Rust reads type arguments behind `as f64 <`.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| if x as f64 < 1.0 { x } else { 0.0 },
        op: sum,
    };
}
