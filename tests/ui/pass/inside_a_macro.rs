//! A macro of the user may create the specification.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
use reducegen::{Reduction, reduction};

macro_rules! largest {
    ($ty:ident, $map:expr) => {
        reduction! { ty: $ty, map: |x| x * $map, op: max }
    };
}

macro_rules! of_fragments {
    ($ty:ty, $op:ident, $block:expr, $k:literal, $map:expr) => {
        reduction! { ty: $ty, map: $map, op: $op, block: $block, passes: [coarsen($k)] }
    };
}

macro_rules! all_of_it {
    ($($token:tt)*) => {
        reduction! { $($token)* }
    };
}

macro_rules! with_a_struct {
    ($name:ident { $lo:ident, $hi:ident }, $ty:ident, $x:ident, $by:ident) => {
        reduction! {
            ty: $ty,
            params: { $by: $ty },
            acc: $name { $lo: $ty, $hi: $ty },
            map: |$x| $name { $lo: $x - $by, $hi: $x + $by },
            op: |a, b| $name { $lo: a.$lo.min(b.$lo), $hi: a.$hi.max(b.$hi) },
            identity: none,
        }
    };
}

macro_rules! names_of_its_own {
    ($ty:ident) => {
        reduction! {
            ty: $ty,
            params: { by: $ty },
            index: i,
            acc: Pair { first: $ty, second: u64 },
            map: |x| Pair { first: x * by, second: i },
            op: |a, b| Pair { first: a.first + b.first, second: a.second + b.second },
            identity: Pair { first: 0.0, second: 0 },
        }
    };
}

macro_rules! exported {
    ($(#[$attribute:meta])* $visibility:vis $name:ident: $($token:tt)*) => {
        reduction! { $(#[$attribute])* $visibility static $name; $($token)* }
    };
}

/// The `s` of the macro and the `s` of its caller are different names, as for rustc.
macro_rules! twice {
    ($x:ident => $of:expr) => {
        reduction! { ty: f64, map: |$x| { let s = 2.0; s * ($of) }, op: sum }
    };
}

macro_rules! weighted {
    ($by:ident) => {
        reduction! { ty: f32, params: { $by: f32 }, map: |x| { let t = x * $by; t + $by }, op: sum }
    };
}

exported! { /** A sum. */ pub(crate) TOTAL: ty: f64, op: sum }

static LARGEST: Reduction<f64, f64> = largest!(f64, (2.0 + 1.0));
static SUM: Reduction<f32, f32> = of_fragments!(f32, sum, 128, 4, |x| x.abs());
static XOR: Reduction<u64, u64> = all_of_it! { ty: u64, op: xor, passes: [shuffle] };

fn main() {
    let _ = (&LARGEST, &SUM, &XOR, &TOTAL);
    let range = with_a_struct!(Range { lo, hi }, f32, x, margin).with(0.5).reduce(&[1.0, 2.0]).unwrap();
    assert_eq!((range.lo, range.hi), (0.5, 2.5));
    let pair = names_of_its_own!(f64).with(2.0).reduce(&[1.0, 2.0]).unwrap();
    assert_eq!((pair.first, pair.second), (6.0, 1));
    let twice = [twice!(v => v + 1.0), twice!(s => s + 1.0)].map(|it| it.reduce(&[10.0]).unwrap());
    assert_eq!(twice, [22.0, 22.0]);
    let weighted = [weighted!(w), weighted!(t)].map(|it| it.with(5.0).reduce(&[2.0]).unwrap());
    assert_eq!(weighted, [15.0, 15.0]);
}
