//! The position of the first element above a limit, or none: early `return`, `match`, and a tuple as accumulator.

use reducegen::{Error, Reduction, reduction};

/// Whether an element is above the limit, and the position of the first one.
static FIRST_ABOVE: Reduction<f32, (bool, u64), f32> = reduction! {
    ty: f32,
    params: { limit: f32 },
    index: i,
    map: |x| {
        if x > limit {
            return (true, i);
        }
        (false, 0)
    },
    op: |a, b| match (a.0, b.0) {
        (true, true) => (true, a.1.min(b.1)),
        (true, false) => a,
        _ => b,
    },
    identity: (false, 0),
};

fn first_above(x: &[f32], limit: f32) -> Result<Option<u64>, Error> {
    let (found, position) = FIRST_ABOVE.with(limit).reduce(x)?;
    Ok(found.then_some(position))
}

fn main() -> Result<(), Error> {
    let wave: Vec<f32> = (0..100_000).map(|i| (i as f32 / 1000.0).sin()).collect();
    let first = first_above(&wave, 0.5)?;
    println!("above 0.5 first at {first:?}, above 2 at {:?}", first_above(&wave, 2.0)?);
    assert_eq!(first, wave.iter().position(|&x| x > 0.5).map(|i| i as u64));
    assert_eq!(first_above(&wave, 2.0)?, None);
    Ok(())
}
