//! A closure before the operator. rustc checks it, and it becomes part of the kernel.

use reducegen::{Error, Reduction, reduction};

/// Reductions are constants, so libraries can export them.
static ABSMAX: Reduction<f32, f32> = reduction! { ty: f32, map: |x| x.abs(), op: max };

/// Two inputs of equal length.
static DOT: Reduction<(f32, f32), f32> =
    reduction! { inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum };

fn main() -> Result<(), Error> {
    let x = [3.0, -4.0, 0.5, 2.0];
    let y = [1.0, 2.0, 4.0, -8.0];
    println!("largest magnitude: {}", ABSMAX.reduce(&x)?);
    println!("dot product:       {}", DOT.reduce((&x, &y))?);
    assert_eq!(ABSMAX.reduce(&x)?, 4.0);
    assert_eq!(DOT.reduce((&x, &y))?, 3.0 - 8.0 + 2.0 - 16.0);

    // An error message says how to correct the mistake.
    let error = DOT.reduce((&x, &y[1..])).expect_err("one input is shorter");
    println!("{error}");
    Ok(())
}
