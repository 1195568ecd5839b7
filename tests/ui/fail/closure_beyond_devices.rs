//! What rustc accepts and this version does not, each at its token.
use reducegen::reduction;

fn main() {
    let _ = reduction! { ty: f32, map: |x| f32::from(2u8) + x / 2.0 + (x as f64) as f32 + [x][0], op: sum };
}
