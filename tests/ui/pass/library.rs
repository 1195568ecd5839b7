//! Libraries export reductions and the structs of their results.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![deny(missing_docs, unused, warnings, unreachable_pub)]

/// A library.
pub mod statistics {
    use reducegen::reduction;

    reduction! {
        /// The range of the elements.
        pub static RANGE;
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    }

    reduction! {
        /// The number of elements above a threshold.
        #[doc(alias = "count")]
        pub static ABOVE;
        ty: f32, params: { least: f32 }, map: |x| (x > least) as u64, op: sum,
    }

    pub(crate) mod inner {
        use reducegen::reduction;

        reduction! {
            pub(crate) static LENGTHS;
            inputs: { x: f32, y: f32 },
            acc: Lengths { one: f32, two: f32 },
            map: |x, y| Lengths { one: x.abs() + y.abs(), two: x * x + y * y },
            op: |a, b| Lengths { one: a.one + b.one, two: a.two + b.two },
            identity: Lengths { one: 0.0, two: 0.0 },
        }

        reduction! { static HERE; ty: u64, op: max }

        pub(crate) fn here(x: &[u64]) -> u64 {
            HERE.reduce(x).unwrap_or_default()
        }
    }
}

use statistics::{ABOVE, RANGE, Range, inner};

fn main() {
    let range: Range = RANGE.reduce(&[3.0, -1.0, 2.0]).unwrap();
    assert_eq!(range, Range { lo: -1.0, hi: 3.0 });
    let above: u64 = ABOVE.with(1.0).reduce(&[3.0, -1.0, 2.0]).unwrap();
    assert_eq!(above, 2);
    let inner::Lengths { one, two } = inner::LENGTHS.reduce((&[3.0, 0.0], &[-4.0, 1.0])).unwrap();
    assert_eq!((one, two), (8.0, 26.0));
    assert_eq!(inner::here(&[3, 4]), 4);

    // In a function the macro is a statement.
    reduction! { static HERE; ty: i32, op: sum }
    assert_eq!(HERE.reduce(&[3, 4]).unwrap(), 7);
}

use reducegen::reduction;
