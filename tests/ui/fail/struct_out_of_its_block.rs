//! The struct of an expression is local to it; `pub static RANGE;` at the head would make it an item.
use reducegen::reduction;

fn main() {
    let range = reduction! {
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    };
    let range: Range = range.reduce(&[1.0, 2.0]).unwrap();
}
