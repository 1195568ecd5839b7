//! What NaN does: it propagates unless it is to be ignored, and never depends on the order.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let x = [2.0, f32::NAN, 7.0, -1.0];
    let nothing = [f32::NAN; 3];

    let max = reduction! { op: max, ty: f32 };
    let largest = reduction! { op: max, ty: f32, nan: ignore };
    println!("max: {}, of the numbers: {}", max.reduce(&x)?, largest.reduce(&x)?);
    assert!(max.reduce(&x)?.is_nan());
    assert_eq!(largest.reduce(&x)?, 7.0);
    assert!(largest.reduce(&nothing)?.is_nan(), "there is no number");

    // A sum of what is no NaN; of nothing but NaN it is that of nothing.
    let sum = reduction! { op: sum, ty: f32, nan: ignore };
    assert_eq!(sum.reduce(&x)?, 8.0);
    assert_eq!(sum.reduce(&nothing)?, 0.0);

    // No position is that of a number.
    let argmax = reduction! { op: argmax, ty: f32, nan: ignore };
    assert_eq!(argmax.reduce(&x)?, 2);
    println!("{}", argmax.reduce(&nothing).expect_err("there is no number"));

    // How many there are.
    let nans = reduction! { ty: f32, map: |x| x.is_nan() as u64, op: sum };
    assert_eq!(nans.reduce(&x)?, 1);
    Ok(())
}
