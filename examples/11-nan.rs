//! NaN propagates unless it is ignored. The result never depends on the order.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let x = [2.0, f32::NAN, 7.0, -1.0];
    let only_nan = [f32::NAN; 3];

    let max = reduction! { op: max, ty: f32 };
    let largest = reduction! { op: max, ty: f32, nan: ignore };
    println!("max: {}, of the numbers: {}", max.reduce(&x)?, largest.reduce(&x)?);
    assert!(max.reduce(&x)?.is_nan());
    assert_eq!(largest.reduce(&x)?, 7.0);
    assert!(largest.reduce(&only_nan)?.is_nan(), "there is no number");

    // The sum of the elements that are not NaN. If all are NaN, it is the sum of no elements.
    let sum = reduction! { op: sum, ty: f32, nan: ignore };
    assert_eq!(sum.reduce(&x)?, 8.0);
    assert_eq!(sum.reduce(&only_nan)?, 0.0);

    // If all elements are NaN, there is no position to return.
    let argmax = reduction! { op: argmax, ty: f32, nan: ignore };
    assert_eq!(argmax.reduce(&x)?, 2);
    println!("{}", argmax.reduce(&only_nan).expect_err("there is no number"));

    // The number of NaN elements.
    let nans = reduction! { ty: f32, map: |x| x.is_nan() as u64, op: sum };
    assert_eq!(nans.reduce(&x)?, 1);
    Ok(())
}
