//! Code that rustc accepts and a device does not support, each error at its token.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| f32::from(2u8) + x.asin() + *&x + [x][0] + (x as usize) as f32, op: sum };
}
