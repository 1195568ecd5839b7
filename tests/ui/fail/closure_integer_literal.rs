//! rustc's own message for an integer literal with a float.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| x + 1, op: sum };
}
