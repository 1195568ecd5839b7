//! Complex numbers: real and imaginary parts are two inputs, and a struct is the accumulator.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let product = reduction! {
        inputs: { re: f32, im: f32 },
        acc: Complex { re: f32, im: f32 },
        map: |re, im| Complex { re, im },
        op: |a, b| Complex { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re },
        identity: Complex { re: 1.0, im: 0.0 },
    };
    // Each factor i rotates the product by a quarter turn.
    let (re, im) = (vec![0.0; 1001], vec![1.0; 1001]);
    let turned = product.reduce((&re, &im))?;
    println!("i^1001 = {turned:?}");
    assert_eq!((turned.re, turned.im), (0.0, 1.0));

    let sum = reduction! {
        inputs: { re: f32, im: f32 },
        acc: Complex { re: f32, im: f32 },
        map: |re, im| Complex { re, im },
        op: |a, b| Complex { re: a.re + b.re, im: a.im + b.im },
        identity: Complex { re: 0.0, im: 0.0 },
        finish: |z| (z.re * z.re + z.im * z.im).sqrt(),
    };
    println!("|1001 i| = {}", sum.reduce((&re, &im))?);
    assert_eq!(sum.reduce((&re, &im))?, 1001.0);
    Ok(())
}
