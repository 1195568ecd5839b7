//! In closures, 16-bit floats are `f32` for rustc and for us.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![deny(warnings)]

use reducegen::{MinMax, Reduction, bf16, f16, reduction};

static TWICE: Reduction<f16, f32> =
    reduction! { ty: f16, op: max, finish: |m| if m > 1.0 { m * 2.0 } else { -m } };

static SPREAD: Reduction<bf16, f32> = reduction! { ty: bf16, op: minmax, finish: |m| (m.max - m.min).abs() };

static BOTH: Reduction<f16, MinMax<f32>> = reduction! { ty: f16, op: minmax, finish: |m| m };

static LARGEST: Reduction<f16, f32> =
    reduction! { ty: f16, op: max, nan: ignore, fold: |acc, x| acc.max(x), finish: |m| m as f32 };

fn main() {
    let x = [3.0, -1.5, 2.0].map(f16::from_f32);
    assert_eq!(TWICE.reduce(&x).unwrap(), 6.0);
    assert_eq!(SPREAD.reduce(&[3.0, -1.5, 2.0].map(bf16::from_f32)).unwrap(), 4.5);
    assert_eq!(BOTH.reduce(&x).unwrap(), MinMax { min: -1.5, max: 3.0 });
    assert_eq!(LARGEST.reduce(&x).unwrap(), 3.0);
}
