//! The language of closures: rustc and our parser accept the same.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![deny(warnings)]

use reducegen::{Reduction, reduction};

static HASH: Reduction<u32, u32> = reduction! {
    ty: u32,
    index: i,
    map: |x| {
        let mixed: u32 = x.rotate_left(13) ^ (i as u32).wrapping_mul(0x9e37_79b9);
        mixed.count_ones() + if mixed & 1 == 0 { 1 } else { mixed >> 3 }
    },
    op: |a, b| a ^ b,
    identity: 0,
};

/// The norm of the elements in range, computed in `f64`.
static NORM: Reduction<f32, f32> = reduction! {
    ty: f32,
    acc: f64,
    map: |x| {
        let inside = !x.is_nan() && x.abs() as f64 <= 1e300;
        let x = if inside { x.clamp(-1e3, 1e3) as f64 } else { 0.0 };
        x.powi(2)
    },
    op: |a, b| a + b,
    identity: 0.0,
    finish: |s, n| (s / n.max(1) as f64).sqrt() as f32 * f32::max(1.0, core::f32::consts::FRAC_1_SQRT_2),
};

static LAST: Reduction<i64, i64> = reduction! { ty: i64, op: |_, b| b, identity: none };

reduction! {
    /// Any Rust name is allowed, whatever it means in CUDA.
    static SPREAD;
    inputs: { bid_price: f32, double: f32 },
    params: Around { left: f32, half_width: f32 },
    index: index,
    map: |bid_price, double| (double - bid_price) * half_width + left * index as f32,
    op: sum,
}

fn main() {
    assert_eq!(HASH.reduce(&[1, 2, 3]).unwrap(), HASH.reduce(&[1, 2, 3]).unwrap());
    assert_eq!(NORM.reduce(&[3.0, -3.0, f32::NAN, 3.0]).unwrap(), (27.0f64 / 4.0).sqrt() as f32);
    assert_eq!(LAST.reduce(&(0..100_000).collect::<Vec<_>>()).unwrap(), 99_999);
    assert_eq!(
        SPREAD.with(Around { left: 1.0, half_width: 0.5 }).reduce((&[1.0, 2.0], &[3.0, 8.0])).unwrap(),
        5.0
    );
}
