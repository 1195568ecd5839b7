//! Complex numbers: an element is an array of two floats, and a struct is the accumulator.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let product = reduction! {
        ty: [f32; 2],
        acc: Complex { re: f32, im: f32 },
        map: |[re, im]| Complex { re, im },
        op: |a, b| Complex { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re },
        identity: Complex { re: 1.0, im: 0.0 },
    };
    // Each factor i rotates the product by a quarter turn.
    let turns = vec![[0.0, 1.0]; 1001];
    let turned = product.reduce(&turns)?;
    println!("i^1001 = {turned:?}");
    assert_eq!((turned.re, turned.im), (0.0, 1.0));

    // Real and imaginary parts in arrays of their own are two inputs.
    let sum = reduction! {
        inputs: { re: f32, im: f32 },
        map: |re, im| (re, im),
        op: |a, b| (a.0 + b.0, a.1 + b.1),
        identity: (0.0, 0.0),
        finish: |z| z.0.hypot(z.1),
    };
    let (re, im) = (vec![0.0; 1001], vec![1.0; 1001]);
    println!("|1001 i| = {}", sum.reduce((&re, &im))?);
    assert_eq!(sum.reduce((&re, &im))?, 1001.0);

    let inner = reduction! {
        inputs: { x: [f64; 2], y: [f64; 2] },
        map: |x, y| [x[0] * y[0] + x[1] * y[1], x[0] * y[1] - x[1] * y[0]],
        op: |a, b| [a[0] + b[0], a[1] + b[1]],
        identity: [0.0; 2],
    };
    let (x, y) = ([[1.0, 2.0], [0.0, 1.0]], [[3.0, -1.0], [1.0, 1.0]]);
    assert_eq!(inner.reduce((&x, &y))?, [2.0, -8.0]);
    Ok(())
}
