//! The struct of an exported reduction is an item, which conflicts with another item of that name.
use reducegen::reduction;

pub struct Range {
    pub lo: f64,
    pub hi: f64,
}

reduction! {
    pub static RANGE;
    ty: f64,
    acc: Range { lo: f64, hi: f64 },
    map: |x| Range { lo: x, hi: x },
    op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
    identity: none,
}

fn main() {}
