//! Reductions that are queued, not waited for: on a stream, with memory that is allocated once, and in a CUDA graph.

#[cfg(not(feature = "cuda"))]
use reducegen::Error;
use reducegen::reduction;

reduction! {
    /// The sum of the squares.
    static ENERGY;
    ty: f32, map: |x| x * x, op: sum
}

#[cfg(feature = "cuda")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use reducegen::Device;
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("13-streams: skipped, {error}");
            assert_eq!(ENERGY.reduce(&[3.0, 4.0])?, 25.0);
            return Ok(());
        }
    };
    let energy = ENERGY.compile(&device)?;
    queued(&energy)?;
    in_a_graph(&energy)
}

#[cfg(not(feature = "cuda"))]
fn main() -> Result<(), Error> {
    println!("13-streams: skipped, {}", Error::BuiltWithoutCuda);
    assert_eq!(ENERGY.reduce(&[3.0, 4.0])?, 25.0);
    Ok(())
}

/// A thousand calls go into the stream before the first result is asked for.
#[cfg(feature = "cuda")]
fn queued(energy: &reducegen::Compiled<f32, f32>) -> Result<(), Box<dyn std::error::Error>> {
    use reducegen::DeviceInputs;
    use reducegen::cudarc::driver::CudaContext;
    let stream = CudaContext::new(0)?.new_stream()?;
    let x = stream.clone_htod(&vec![0.5f32; 1 << 20])?;
    let mut workspace = energy.workspace(&stream, 1 << 20)?;
    let inputs = DeviceInputs::on(&stream, &x);
    for _ in 0..1000 {
        energy.enqueue(&stream, &inputs, &mut workspace)?;
    }
    assert_eq!(energy.read(&stream, &workspace)?, 262_144.0);
    println!("a thousand calls were queued");
    Ok(())
}

/// A graph captures the call, and runs it again on what the memory holds then.
#[cfg(feature = "cuda")]
fn in_a_graph(energy: &reducegen::Compiled<f32, f32>) -> Result<(), Box<dyn std::error::Error>> {
    use reducegen::DeviceInputs;
    use reducegen::cudarc::driver::{CudaContext, sys};
    let stream = CudaContext::new(0)?.new_stream()?;
    let mut x = stream.clone_htod(&[3.0f32, 4.0])?;
    let mut workspace = energy.workspace(&stream, 2)?;
    let inputs = DeviceInputs::on(&stream, &x);
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    energy.enqueue(&stream, &inputs, &mut workspace)?;
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0))?.ok_or("nothing was captured")?;
    drop(inputs);
    for (elements, expected) in [([3.0, 4.0], 25.0), ([5.0, 12.0], 169.0)] {
        stream.memcpy_htod(&elements, &mut x)?;
        graph.launch()?;
        assert_eq!(energy.read(&stream, &workspace)?, expected);
    }
    println!("a graph ran twice");
    Ok(())
}
