//! The macro is a constant expression in every kind of brackets, and compiles in code that denies lints.
#![deny(missing_docs, unused, warnings)]
#![allow(clippy::declare_interior_mutable_const, reason = "it may be a constant")]

use reducegen::{Reduction, f16, reduction};

/// In a static.
pub static MAX: Reduction<f32, f32> = reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] };

/// In a constant.
pub const DOT: Reduction<(f32, f32), f32> =
    reduction!(inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum);

/// Returned from a function.
pub fn absolute() -> Reduction<f32, f32> {
    reduction![ty: f32, map: |x| x.abs(), op: max]
}

fn main() {
    let _angle: Reduction<f64, u64> = reduction!(< op: argmax, ty: f64, identity: none >);
    let _widened: Reduction<f16, f32> = reduction! { ty: f16, map: |v| { v.abs() * 2.0 - 1.0 }, op: sum };
    let _bits: Reduction<u64, u64> = reduction! { ty: u64, op: xor, block: 128, };
    let _many: Reduction<(f32, f32, f32, f32, f32), f32> = reduction! {
        inputs: { p: f32, q: f32, u: f32, v: f32, w: f32 }, map: |p, q, u, v, w| p * q - u * v + w, op: sum
    };
    let _any_order: Reduction<f32, f32> = reduction! { ty: f32, op: sum, order: any };
    let _strided: Reduction<(f32, f32), f32> =
        reduction! { inputs: { x: f32, y: f32 }, layout: strided, op: dot, passes: [shuffle, coarsen(2)] };
    let _flag: Reduction<i32, bool> = reduction! { ty: i32, op: any, passes: auto };
    let _ = absolute();
}
