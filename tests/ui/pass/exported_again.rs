//! A crate may re-export the macro, and call it in a macro of its own. Crates that depend on it need no other dependency.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]

mod statistics {
    pub use reducegen;

    #[macro_export]
    macro_rules! largest {
        ($ty:ty) => {
            $crate::statistics::reducegen::reduction! { op: max, ty: $ty }
        };
    }
}

use statistics::reducegen as reductions;

static SUM: reductions::Reduction<f32, f32> = reductions::reduction! { op: sum, ty: f32 };

reductions::reduction! {
    /// The smallest and the largest element.
    pub static RANGE;
    ty: f64,
    acc: Range { lo: f64, hi: f64 },
    map: |x| Range { lo: x, hi: x },
    op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
    identity: none,
}

fn main() {
    assert_eq!(SUM.reduce(&[1.0, 2.0]).unwrap(), 3.0);
    assert_eq!(largest!(i32).reduce(&[1, 2]).unwrap(), 2);
    assert_eq!(RANGE.reduce(&[1.0, 2.0]).unwrap(), Range { lo: 1.0, hi: 2.0 });
}
