//! Rows of a candle tensor: means and softmax denominators, read without a copy from a tensor that is no longer contiguous.

use reducegen::candle_core::{D, Device, Tensor};
use reducegen::{Array, Reduction, TensorStorage, reduction};
use std::error::Error;

static MEAN: Reduction<f32, Array<f32>> = reduction! { op: mean, ty: f32, axes: i j -> i };
static LOGSUMEXP: Reduction<f32, Array<f32>> = reduction! { op: logsumexp, ty: f32, axes: i j -> i };

fn main() -> Result<(), Box<dyn Error>> {
    let samples: Vec<f32> = (0..4000).map(|i| (i as f32 * 0.37).sin() * 3.0).collect();
    let columns = Tensor::from_vec(samples, (1000, 4), &Device::Cpu)?;
    // Transposed and narrowed: other steps and another offset in the same memory.
    let rows = columns.t()?.narrow(1, 100, 800)?;
    let storage = TensorStorage::new(&rows);

    let mean = MEAN.reduce(storage.view()?)?.into_tensor(rows.device())?;
    compare("means", &mean, &rows.mean(D::Minus1)?)?;

    // The logarithm of the denominator of a softmax.
    let denominator = LOGSUMEXP.reduce(storage.view()?)?.into_tensor(rows.device())?;
    compare("logarithms of softmax denominators", &denominator, &rows.log_sum_exp(D::Minus1)?)
}

/// Prints our results, and checks that those of candle, which adds in another order, are close.
fn compare(name: &str, ours: &Tensor, theirs: &Tensor) -> Result<(), Box<dyn Error>> {
    let difference = (ours - theirs)?.abs()?.max(0)?.to_scalar::<f32>()?;
    println!("{name}: {:?}, candle differs by at most {difference:e}", ours.to_vec1::<f32>()?);
    assert!(difference < 1e-5);
    Ok(())
}
