//! Asynchronous reductions: on a stream, with a workspace that is allocated once, and in a CUDA graph.

use reducegen::reduction;

reduction! {
    /// The sum of the squares.
    static ENERGY;
    ty: f32, map: |x| x * x, op: sum
}

#[cfg(not(feature = "cuda"))]
fn main() -> Result<(), reducegen::Error> {
    println!("13-streams: skipped, {}", reducegen::Error::BuiltWithoutCuda);
    assert_eq!(ENERGY.reduce(&[3.0, 4.0])?, 25.0);
    Ok(())
}

#[cfg(feature = "cuda")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use reducegen::cudarc::driver::{CudaContext, sys};
    use reducegen::{Device, DeviceInputs};
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("13-streams: skipped, {error}");
            assert_eq!(ENERGY.reduce(&[3.0, 4.0])?, 25.0);
            return Ok(());
        }
    };
    let energy = ENERGY.compile(&device)?;
    let stream = CudaContext::new(0)?.new_stream()?;
    let mut x = stream.clone_htod(&[3.0f32, 4.0])?;
    let mut workspace = energy.workspace(&stream, 2)?;

    // A thousand calls are queued before the first result is read.
    DeviceInputs::new(&stream, &x)
        .scope(|inputs| (0..1000).try_for_each(|_| energy.enqueue(&stream, inputs, &mut workspace)))??;
    assert_eq!(energy.read(&stream, &workspace)?, 25.0);

    let inputs = DeviceInputs::new(&stream, &x);
    // The graph captures the call, and replays it on the elements that are then in memory.
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    // SAFETY: `energy`, `workspace` and `x` live longer than the graph, which is replayed on their stream.
    unsafe { energy.enqueue_captured(&stream, &inputs, &mut workspace)? };
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0))?.ok_or("nothing was captured")?;
    drop(inputs);
    for (elements, expected) in [([3.0, 4.0], 25.0), ([5.0, 12.0], 169.0)] {
        stream.memcpy_htod(&elements, &mut x)?;
        graph.launch()?;
        assert_eq!(energy.read(&stream, &workspace)?, expected);
    }
    println!("a thousand calls were queued, and a graph ran twice");
    Ok(())
}
