//! Mean, variance and range in one pass over the data, by Welford's method. The result is a struct of the library.

use reducegen::{Describe, Error, Reduction, reduction};

static DESCRIBE: Reduction<f32, Describe<f32, f32>> = reduction! { op: describe, ty: f32 };

/// `ddof` is subtracted from the number of elements in the divisor. It is 0 unless it is a param.
static VAR: Reduction<f32, f32, u64> = reduction! { op: var, ty: f32, params: { ddof: u64 } };

fn main() -> Result<(), Error> {
    // Far from 0, where a sum of squares loses all digits.
    let x: Vec<f32> = (0..10_000).map(|i| 4096.0 + (i % 5) as f32).collect();
    let all = DESCRIBE.reduce(&x)?;
    println!("{all:?}");
    assert_eq!((all.n, all.min, all.max), (10_000, 4096.0, 4100.0));
    assert!((all.mean - 4098.0).abs() < 0.01);
    let variance = all.m2 / all.n as f32;
    assert!((variance - 2.0).abs() < 1e-3, "{variance}");
    assert_eq!(VAR.with(0).reduce(&x)?, variance);
    assert_eq!(VAR.with(1).reduce(&x)?, all.m2 / (all.n - 1) as f32);
    Ok(())
}
