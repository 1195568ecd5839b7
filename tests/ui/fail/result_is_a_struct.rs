//! A struct is not a number, and each struct of the library is a different type.
use reducegen::{Best, Error, Reduction, reduction};

static RANGE: Reduction<f64, f64> = reduction! {
    ty: f64,
    acc: Range { lo: f64, hi: f64 },
    map: |x| Range { lo: x, hi: x },
    op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
    identity: none,
};

fn main() -> Result<(), Error> {
    let minmax = reduction! { ty: f32, op: minmax };
    let best: Best<f32> = minmax.reduce(&[1.0, 2.0])?;
    println!("{}", best.value);
    Ok(())
}
