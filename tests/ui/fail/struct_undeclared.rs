//! The struct of the accumulator is not declared.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f64,
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    };
}
