//! A closure that captures a variable.
use reducegen::reduction;

fn main() {
    let scale = 2.0f32;
    let _ = reduction! { ty: f32, map: |x| x * scale, op: sum };
}
