//! A result has the fields of the accumulator.
use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let range = reduction! {
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    };
    let range = range.reduce(&[1.0, 2.0])?;
    println!("{}", range.high - range.lo);
    Ok(())
}
