//! The first four moments around a known center, in one pass: the powers of each deviation are an array.

use reducegen::{Error, Reduction, reduction};

/// The mean, the variance, the skewness and the excess of the kurtosis.
static MOMENTS: Reduction<f64, (f64, f64, f64, f64), f64> = reduction! {
    ty: f64,
    params: { center: f64 },
    map: |x| {
        let d = x - center;
        let mut powers = [d; 4];
        for i in 1..4 {
            powers[i] = powers[i - 1] * d;
        }
        powers
    },
    op: |a, b| {
        let mut sums = a;
        for i in 0..4 {
            sums[i] += b[i];
        }
        sums
    },
    identity: [0.0; 4],
    finish: |s, n| {
        let n = n as f64;
        let [m1, m2, m3, m4] = [s[0] / n, s[1] / n, s[2] / n, s[3] / n];
        let variance = m2 - m1 * m1;
        if variance <= 0.0 {
            return (center + m1, 0.0, 0.0, 0.0);
        }
        let third = m3 - 3.0 * m1 * m2 + 2.0 * m1.powi(3);
        let fourth = m4 - 4.0 * m1 * m3 + 6.0 * m1 * m1 * m2 - 3.0 * m1.powi(4);
        (center + m1, variance, third / (variance * variance.sqrt()), fourth / (variance * variance) - 3.0)
    },
};

fn main() -> Result<(), Error> {
    // Coins: the number of heads in four throws.
    let heads: Vec<f64> =
        [1, 4, 6, 4, 1].into_iter().enumerate().flat_map(|(k, n)| vec![k as f64; n * 1000]).collect();
    let (mean, variance, skewness, excess) = MOMENTS.with(2.0).reduce(&heads)?;
    println!("mean {mean}, variance {variance}, skewness {skewness}, excess kurtosis {excess}");
    assert_eq!((mean, variance, skewness, excess), (2.0, 1.0, 0.0, -0.5));
    assert_eq!(MOMENTS.with(0.0).reduce(&[3.0, 3.0])?, (3.0, 0.0, 0.0, 0.0));
    Ok(())
}
