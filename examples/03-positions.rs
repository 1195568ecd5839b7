//! The position of the largest element, with NumPy's rules for ties and NaN.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let argmax = reduction! { op: argmax, ty: f64 };
    let mut x = vec![0.0; 5000];
    x[1234] = 7.0;
    x[4321] = 7.0;
    assert_eq!(argmax.reduce(&x)?, 1234, "the first of equals");
    x[2500] = f64::NAN;
    assert_eq!(argmax.reduce(&x)?, 2500, "NaN before everything");
    println!("position of the largest: {}", argmax.reduce(&x)?);

    // An empty slice has no largest element: the result is an error, not a made-up position.
    let empty = argmax.reduce(&[]);
    println!("{}", empty.as_ref().expect_err("there is no element"));

    // The sum of an empty slice is the identity.
    let sum = reduction! { op: sum, ty: f64 };
    assert_eq!(sum.reduce(&[])?, 0.0);
    Ok(())
}
