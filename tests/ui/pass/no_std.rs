//! A crate without the standard library may define reductions; the crate that calls them has it.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![no_std]
#![deny(warnings)]

mod reductions {
    use reducegen::reduction;

    // A reduction that is disabled by `cfg` has no structs.
    reduction! {
        #[cfg(unix)]
        pub static RANGE;
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    }

    reduction! {
        #[cfg(not(unix))]
        pub static RANGE;
        ty: f64,
        acc: Range { lo: f64 },
        map: |x| Range { lo: x },
        op: |a, b| Range { lo: a.lo.min(b.lo) },
        identity: none,
    }
}

fn main() {
    let _ = &reductions::RANGE;
}
