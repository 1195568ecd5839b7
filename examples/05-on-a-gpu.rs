//! Compile once and reduce many times, on the best device available. On a GPU, also reduce data that is already there.

use reducegen::{Device, Error, reduction};

fn main() -> Result<(), Error> {
    let device = Device::auto();
    println!("running on {}: {}", device.name(), device.description());

    let sum = reduction! { op: sum, ty: i64 }.compile(&device)?;
    for n in [10, 1000, 100_000] {
        let x: Vec<i64> = (1..=n).collect();
        assert_eq!(sum.reduce(&x)?, n * (n + 1) / 2);
    }

    #[cfg(feature = "cuda")]
    if device.name() != "host" {
        on_the_device(&sum).map_err(|error| println!("{error}")).expect("the GPU works");
    }
    println!("all sums are right");
    Ok(())
}

/// Slices and views of cudarc stay on the device; only the result is copied to the host.
#[cfg(feature = "cuda")]
fn on_the_device(sum: &reducegen::Compiled<i64, i64>) -> Result<(), Box<dyn std::error::Error>> {
    use reducegen::cudarc::driver::CudaContext;
    let stream = CudaContext::new(0)?.default_stream();
    let x = stream.clone_htod(&(1..=1000i64).collect::<Vec<_>>())?;
    assert_eq!(sum.reduce_device(&x)?, 500_500);
    assert_eq!(sum.reduce_device(&x.slice(1..))?, 500_499);
    Ok(())
}
