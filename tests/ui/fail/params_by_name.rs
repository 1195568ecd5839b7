//! Params by name: one is missing, one is set twice, one is misspelt, and a tuple has no names.
use reducegen::reduction;

fn main() {
    let inside =
        reduction! { ty: f32, params: { lo: f32, hi: f32 = 1.0 }, map: |x| lo <= x && x <= hi, op: all };
    let _ = inside.with_params(|p| p.hi(2.0));
    let _ = inside.with_params(|p| p.lo(0.0).lo(1.0));
    let _ = inside.with_params(|p| p.low(0.0));
    let _ = inside.with((0.0, 1.0));
    let _ = inside.reduce(&[0.5]);
}
