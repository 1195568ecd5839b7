//! rustc's own words for an integer beside a float.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| x + 1, op: sum };
}
