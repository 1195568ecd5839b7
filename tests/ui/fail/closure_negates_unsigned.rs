//! rustc's own words for a sign that a type has not.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: u32, map: |x| -x, op: sum };
}
