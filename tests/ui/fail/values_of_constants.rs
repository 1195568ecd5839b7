//! Specifications that no value of a constant makes right, and places where a constant has no value.
use reducegen::reduction;

const SIZE: usize = 4;
const LIMIT: f32 = 2.0;

/// The `x` of the macro is not the `x` of the caller, which text cannot say.
macro_rules! shadowed {
    ($x:ident) => {
        reduction! { ty: u64, map: |$x| { let mut s = $x; for _ in 1..SIZE { let x = 3; s += $x * x; } s }, op: sum }
    };
}

fn main() {
    let _ = shadowed!(x);
    let _ = reduction! { ty: f32, map: |x| (x, LIMIT), op: |a, b| (a.0 + b.0, a.1), identity: none };
    let _ = reduction! { ty: i32, map: |x| { let mut s = x; for _ in 0..SIZE { s -= 1 } s }, op: |a, b| a - b, identity: 0 };
    let _ = reduction! { ty: u32, acc: H { bins: [u32; SIZE] }, map: |x| H { bins: [x; SIZE] }, op: |a, b| a, identity: none };
    let _ = reduction! { ty: f32, op: |a, b| a.max(b) + LIMIT * y, identity: none };
    let _ = reduction! { ty: f32, params: { k: f32 = LIMIT }, map: |x| x * k, op: sum };
    let _ = reduction! { ty: i32, map: |x| { let mut s = x; for i in 0..LIMIT { s += i } s }, op: sum };
    let _ = reduction! { ty: f32, map: |_| LIMIT, op: sum };
}
