//! A struct expression without a value for a field.
use reducegen::reduction;

fn main() {
    let _ = reduction! {
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.high.max(b.hi) },
        identity: none,
    };
}
