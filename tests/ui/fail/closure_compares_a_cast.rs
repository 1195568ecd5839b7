//! Rust parses `as f64 <` as the start of type arguments.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f32,
        map: |x| if x as f64 < 1.0 { x } else { 0.0 },
        op: sum,
    };
}
