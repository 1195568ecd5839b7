//! Params: values that are known only at the call, with their Rust types.

use reducegen::{Device, Error, Reduction, reduction};

/// Counts the elements that are at least `least`.
static AT_LEAST: Reduction<f32, u64, f32> =
    reduction! { ty: f32, params: { least: f32 }, map: |x| (x >= least) as u64, op: sum };

reduction! {
    /// Several params are a struct, and a param may have a default.
    static INSIDE;
    ty: f32, params: Bounds { lo: f32, hi: f32 = 9.99 }, map: |x| lo <= x && x <= hi, op: all
}

fn main() -> Result<(), Error> {
    let samples: Vec<f32> = (0..1000).map(|i| i as f32 / 100.0).collect();
    for least in [0.0, 2.5, 9.99, 10.0] {
        println!("{} samples are at least {least}", AT_LEAST.with(least).reduce(&samples)?);
    }
    assert_eq!(AT_LEAST.with(2.5).reduce(&samples)?, 750);
    assert!(INSIDE.with_params(|p| p.lo(0.0)).reduce(&samples)?);
    assert!(!INSIDE.with_params(|p| p.lo(0.0).hi(5.0)).reduce(&samples)?);
    assert!(!INSIDE.with(Bounds { lo: 1.0, hi: 9.99 }).reduce(&samples)?);

    // The kernel is compiled once, for all values of the params.
    let compiled = AT_LEAST.compile(&Device::auto())?;
    assert_eq!(compiled.with(5.0).reduce(&samples)?, 500);
    assert_eq!(compiled.with(7.5).reduce(&samples)?, 250);
    Ok(())
}
