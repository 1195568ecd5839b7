//! The largest of some numbers: a specification, its result, and its CUDA.

use reducegen::{Error, reduction};

fn main() -> Result<(), Error> {
    let max = reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] };

    // A decaying wave: its largest value is the first.
    let samples: Vec<f32> =
        (0..100_000).map(|i| (i as f32 * 0.1).cos() / (1.0 + i as f32 / 1000.0)).collect();
    let peak = max.reduce(&samples)?;
    println!("largest of {} samples: {peak}", samples.len());
    assert_eq!(peak, 1.0);

    // The CUDA is the same for every GPU; `reducegen emit` prints it too.
    let cuda = max.cuda()?;
    println!("{}", cuda.lines().take(8).collect::<Vec<_>>().join("\n"));
    assert!(cuda.contains("coarsen(4)") && cuda.contains("__shfl_down_sync"));
    Ok(())
}
