//! A method that rustc accepts and a device has not.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| x.hypot(2.0), op: max };
}
