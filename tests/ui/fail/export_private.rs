//! An exported reduction has the visibility that is written, and so has its struct.
mod statistics {
    reducegen::reduction! {
        static RANGE;
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    }
}

fn main() {
    let _: statistics::Range = statistics::RANGE.reduce(&[1.0]).unwrap();
}
