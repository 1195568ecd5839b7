//! A method that rustc accepts and a device does not support.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| x.asin(), op: max };
}
