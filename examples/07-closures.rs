//! The operator as a closure, on an accumulator of your own. Its fields become a public Rust struct.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    // The compiler checks that the operator is associative: `|a, b| a - b` does not compile.
    let range = reduction! {
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    };
    let samples: Vec<f64> = (0..9_750).map(|i| (f64::from(i) * 0.01).sin() + 0.5).collect();
    let found = range.reduce(&samples)?;
    println!("{found:?}");
    assert!(found.lo < -0.499 && found.hi > 1.499);

    // `finish` computes the result from the last accumulator and from `n`, the number of elements.
    let deviation = reduction! {
        ty: f64,
        acc: Moments { sum: f64, squares: f64 },
        map: |x| Moments { sum: x, squares: x * x },
        op: |a, b| Moments { sum: a.sum + b.sum, squares: a.squares + b.squares },
        identity: Moments { sum: 0.0, squares: 0.0 },
        finish: |m, n| (m.squares / n as f64 - m.sum * m.sum / (n as f64 * n as f64)).max(0.0).sqrt(),
    };
    let found = deviation.reduce(&samples)?;
    println!("standard deviation: {found}");
    assert!((found - 0.5f64.sqrt()).abs() < 0.01, "a wave of height 1");

    // `index` names the position, for use in `map`.
    let crossings = reduction! { ty: f64, index: i, map: |x| if x < 0.0 { i } else { 0 }, op: max };
    let last = crossings.reduce(&samples)? as usize;
    println!("last negative sample: {last}");
    assert!(samples[last] < 0.0 && samples[last + 1..].iter().all(|&x| x >= 0.0));
    Ok(())
}
