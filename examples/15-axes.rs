//! A result for each row, column, channel or pixel: `axes` names the axes that are kept, and those that are reduced.

use reducegen::{Array, Error, Reduction, View, reduction};

/// The largest element and the sum of exponentials of each row: the denominators of a softmax.
static SOFTMAX: Reduction<f32, Array<reducegen::MaxSum<f32>>> =
    reduction! { op: softmax_denominator, ty: f32, axes: row class -> row };
/// The variance of each channel of images in NHWC order.
static VARIANCE: Reduction<f32, Array<f32>> = reduction! { op: var, ty: f32, axes: n h w c -> c };
/// The cosine of the angle between the rows of two matrices.
static COSINE: Reduction<(f32, f32), Array<f32>> = reduction! {
    inputs: { x: f32, y: f32 },
    axes: row at -> row,
    acc: Products { xy: f32, xx: f32, yy: f32 },
    map: |x, y| Products { xy: x * y, xx: x * x, yy: y * y },
    op: |a, b| Products { xy: a.xy + b.xy, xx: a.xx + b.xx, yy: a.yy + b.yy },
    identity: Products { xy: 0.0, xx: 0.0, yy: 0.0 },
    finish: |p| p.xy / (p.xx * p.yy).sqrt(),
};
/// The position of the largest element in each row. A row of no elements has none.
static BEST: Reduction<f32, Array<Option<u64>>> = reduction! { op: argmax, ty: f32, axes: row class -> row };
/// The mean colour of an image, from bytes.
static COLOUR: Reduction<u8, Array<f64>> = reduction! { op: mean, ty: u8, axes: h w rgb -> rgb };

fn main() -> Result<(), Error> {
    let logits: Vec<f32> = (0..4000).map(|i| (i as f32 * 0.37).sin() * 3.0).collect();
    let logits = View::new(&logits, [4, 1000]);
    let denominators = SOFTMAX.reduce(logits.clone())?;
    let best = BEST.reduce(logits)?;
    for (row, (softmax, class)) in denominators.values.iter().zip(best.values.iter().flatten()).enumerate() {
        println!("row {row}: class {class} with probability {:.4}", 1.0 / softmax.sum);
    }

    let images: Vec<f32> = (0..2 * 5 * 7 * 3).map(|i| (i % 3) as f32 + (i % 2) as f32).collect();
    let variance = VARIANCE.reduce(View::new(&images, [2, 5, 7, 3]))?;
    assert_eq!(variance.shape, [3]);
    println!("variance of each channel: {:?}", variance.values);

    let x = [1.0, 0.0, 1.0, 1.0];
    let y = [0.0, 2.0, 3.0, 3.0];
    let cosine = COSINE.reduce((View::new(&x, [2, 2]), View::new(&y, [2, 2])))?;
    assert_eq!((cosine[[0]], (cosine[[1]] * 100.0).round()), (0.0, 100.0));

    let image: Vec<u8> = (0..64 * 48).flat_map(|pixel| [200, (pixel % 256) as u8, 10]).collect();
    let colour = COLOUR.reduce(View::new(&image, [48, 64, 3]))?;
    println!("mean colour: {:?}", colour.values);
    assert_eq!(colour.values, [200.0, 127.5, 10.0]);
    Ok(())
}
