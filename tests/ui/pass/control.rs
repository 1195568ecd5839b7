//! Closures with variables, loops, `match`, tuples, arrays and functions: the user's code warns only where it would elsewhere.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![deny(warnings)]

use reducegen::{Reduction, reduction};

mod counts {
    use reducegen::reduction;

    reduction! {
        /// The numbers of elements below 10, below 100, and others, and the largest element.
        pub static COUNTS;

        fn class(x: i32) -> usize {
            match x {
                ..10 => 0,
                10..=99 => 1,
                _ => 2,
            }
        }

        ty: i32,
        acc: Counts { classes: [u64; 3], most: i32 },
        map: |x| {
            let mut counts = Counts { classes: [0; 3], most: x };
            counts.classes[class(x)] += 1;
            counts
        },
        op: |mut a, b| {
            for i in 0..a.classes.len() {
                a.classes[i] += b.classes[i];
            }
            if b.most > a.most {
                a.most = b.most;
            }
            a
        },
        identity: none,
    }
}

reduction! {
    /// The mean of the elements in a range, and their number.
    static MEAN;
    ty: f32,
    params: { lo: f32, hi: f32 },
    acc: (f64, u64),
    map: |x| {
        if !(lo..=hi).contains(&x) {
            return (0.0, 0);
        }
        (x as f64, 1)
    },
    op: |(s, n), (t, m)| (s + t, n + m),
    identity: (0.0, 0),
    finish: |(s, n)| {
        let mut mean = f64::NAN;
        if n != 0 {
            mean = s / n as f64;
        }
        (mean, n)
    },
}

/// A polynomial, by Horner's rule.
static POLYNOMIAL: Reduction<f64, f64> = reduction! {
    ty: f64,
    map: |x| {
        let mut y = 0.0;
        for c in [2.0, -1.0, 3.0] {
            y = y * x + c;
        }
        y
    },
    op: sum,
};

static LARGEST: Reduction<f32, f32> = reduction! { ty: f32, op: f32::max };

static EVEN: Reduction<u64, u64> =
    reduction! { ty: usize, map: |x| matches!(x % 10, 0 | 2 | 4 | 6 | 8), op: count };

/// The products of 2 x 2 matrices, in order.
static PRODUCT: Reduction<(i64, i64), [[i64; 2]; 2]> = reduction! {
    fn times(a: [[i64; 2]; 2], b: [[i64; 2]; 2]) -> [[i64; 2]; 2] {
        let mut c = [[0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                for k in 0..2 {
                    c[i][j] += a[i][k] * b[k][j];
                }
            }
        }
        c
    }

    inputs: { a: i64, b: i64 },
    acc: [[i64; 2]; 2],
    map: |a, b| [[a, b], [1, 0]],
    op: times,
    identity: [[1, 0], [0, 1]],
};

fn main() {
    let counts: counts::Counts = counts::COUNTS.reduce(&[1, 20, 300, 5]).unwrap();
    assert_eq!((counts.classes, counts.most), ([2, 1, 1], 300));
    assert_eq!(MEAN.with_params(|p| p.lo(0.0).hi(10.0)).reduce(&[1.0, 50.0, 2.0]).unwrap(), (1.5, 2));
    assert_eq!(POLYNOMIAL.reduce(&[0.0, 2.0]).unwrap(), 3.0 + 9.0);
    assert_eq!(LARGEST.reduce(&[1.0, f32::NAN, 3.0]).unwrap(), 3.0);
    assert_eq!(EVEN.reduce(&[1, 2, 4, 7]).unwrap(), 2);
    assert_eq!(PRODUCT.reduce((&[1; 10], &[1; 10])).unwrap(), [[89, 55], [55, 34]]);
}
