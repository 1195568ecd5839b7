//! rustc's own message for negating an unsigned type.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: u32, map: |x| -x, op: sum };
}
