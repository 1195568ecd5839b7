//! Reduces on the host and, with the application's own cudarc, on a GPU, or prints why no GPU is available.

use cudarc::driver::CudaContext;
use reducegen::{Compiled, Device, Reduction, reduction};

static SUM: Reduction<i64, i64> = reduction! { op: sum, ty: i64 };

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let samples: Vec<i64> = (1..=1000).collect();
    println!("cudarc is built for CUDA {}", cudarc::driver::sys::CUDA_VERSION);
    println!("host: {}", SUM.reduce(&samples)?);
    match Device::cuda(0) {
        Ok(device) => println!("cuda: {}", on_a_gpu(&SUM.compile(&device)?, &samples)?),
        Err(error) => println!("no cuda: {error}"),
    }
    Ok(())
}

/// Compiles only if reducegen accepts the slices of this crate's cudarc.
fn on_a_gpu(sum: &Compiled<i64, i64>, samples: &[i64]) -> Result<i64, Box<dyn std::error::Error>> {
    let slice = CudaContext::new(0)?.default_stream().clone_htod(samples)?;
    Ok(sum.reduce_device(&slice)?)
}
