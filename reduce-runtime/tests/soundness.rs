//! No safe call lets a kernel touch invalid memory, whatever the caller leaks, drops or captures. Uses the libcuda that
//! pretends to have GPUs (`driver/`). docs/design/soundness.md lists the unsafe code that these tests cover.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod driver;

use driver::{Calls, capture, spec, unordered_accesses, unordered_launches, with_driver};
use reduce_ir::Scalar;
use reduce_ir::spec::Passes;
use reduce_runtime::cudarc::driver::{CudaSlice, CudaStream};
use reduce_runtime::{Device, DeviceInput, DeviceInputs, Error, Reducer, Reduction};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

static SUM: Reduction<f32, f32> = Reduction::new(|| Ok(spec("sum", Scalar::F32, Passes::Auto)));

/// Queues a sum of a slice of `owner` on `reader`, leaks the input, then calls `then` with the slice. Returns how often
/// that was too early.
fn after_a_leak(
    device: &Device,
    reader: &Arc<CudaStream>,
    owner: &Arc<CudaStream>,
    then: impl FnOnce(CudaSlice<f32>),
) -> u32 {
    let sum = Reducer::new(&SUM.spec().unwrap(), device).unwrap();
    let x = owner.alloc_zeros::<f32>(1000).unwrap();
    let mut workspace = sum.workspace(reader, 1000).unwrap();
    let input = DeviceInput::on_stream(reader, &x);
    sum.enqueue(reader, std::slice::from_ref(&input), &[], &mut workspace).unwrap();
    Box::leak(Box::new(input));
    let before = unordered_accesses();
    then(x);
    unordered_accesses() - before
}

#[test]
fn a_leaked_input_does_not_free_its_memory_early() {
    let Some((device, stream)) = with_driver("a_leaked_input_does_not_free_its_memory_early") else { return };
    let other = stream.context().new_stream().unwrap();
    assert_eq!(after_a_leak(&device, &other, &stream, drop), 0, "read on another stream");
    assert_eq!(after_a_leak(&device, &stream, &stream, drop), 0, "read on its own stream");
}

#[test]
fn a_leaked_input_is_not_written_early() {
    let Some((device, stream)) = with_driver("a_leaked_input_is_not_written_early") else { return };
    let [other, third] = [0; 2].map(|_| stream.context().new_stream().unwrap());
    let write = |mut x: CudaSlice<f32>| {
        third.memcpy_htod(&[1.0; 1000], &mut x).unwrap();
        std::mem::forget(x);
    };
    assert_eq!(after_a_leak(&device, &other, &stream, write), 0, "read on another stream");
    assert_eq!(after_a_leak(&device, &stream, &stream, write), 0, "read on its own stream");
}

/// cudarc keeps one event for all reads of a slice, so a read on one stream must not replace a read on another.
#[test]
fn a_read_does_not_hide_one_of_another_stream() {
    let Some((device, stream)) = with_driver("a_read_does_not_hide_one_of_another_stream") else { return };
    let [other, third] = [0; 2].map(|_| stream.context().new_stream().unwrap());
    let sum = Reducer::new(&SUM.spec().unwrap(), &device).unwrap();
    let x = stream.alloc_zeros::<f32>(1000).unwrap();
    let mut workspaces = [&other, &stream].map(|stream| sum.workspace(stream, 1000).unwrap());
    for (stream, workspace) in [&other, &stream].into_iter().zip(&mut workspaces) {
        let input = DeviceInput::on_stream(stream, &x);
        sum.enqueue(stream, &[input], &[], workspace).unwrap();
    }
    let (before, mut x) = (unordered_accesses(), x);
    third.memcpy_htod(&[1.0; 1000], &mut x).unwrap();
    assert_eq!(unordered_accesses(), before);
}

/// Also if the work inside panics, which drops the scope.
#[test]
fn a_scope_records_all_its_reads_when_it_ends() {
    let Some((device, stream)) = with_driver("a_scope_records_all_its_reads_when_it_ends") else { return };
    let (sum, other) = (SUM.compile(&device).unwrap(), stream.context().new_stream().unwrap());
    let mut workspace = sum.workspace(&other, 1000).unwrap();
    for panics in [false, true] {
        let x = stream.alloc_zeros::<f32>(1000).unwrap();
        let inputs = DeviceInputs::new(&other, &x);
        let run = AssertUnwindSafe(|| {
            inputs.scope(|inputs| {
                (0..10).for_each(|_| sum.enqueue(&other, inputs, &mut workspace).unwrap());
                assert!(!panics, "on purpose");
            })
        });
        assert_eq!(catch_unwind(run).is_err(), panics);
        let before = unordered_accesses();
        drop(x);
        assert_eq!(unordered_accesses(), before, "panics: {panics}");
    }
}

#[test]
fn the_next_call_waits_for_who_reads_the_result() {
    let Some((device, stream)) = with_driver("the_next_call_waits_for_who_reads_the_result") else { return };
    let (sum, other) = (SUM.compile(&device).unwrap(), stream.context().new_stream().unwrap());
    let x = stream.alloc_zeros::<f32>(1000).unwrap();
    let mut kept = other.alloc_zeros::<f32>(1).unwrap();
    let (inputs, mut workspace) = (DeviceInputs::new(&stream, &x), sum.workspace(&stream, 1000).unwrap());
    for _ in 0..3 {
        sum.enqueue(&stream, &inputs, &mut workspace).unwrap();
        other.memcpy_dtod(&workspace.result::<f32>().unwrap(), &mut kept).unwrap();
    }
    assert_eq!(unordered_launches(), 0);
}

/// A graph would run the queued work again when its memory may be freed.
#[test]
fn safe_calls_refuse_a_stream_that_a_graph_captures() {
    let test = "safe_calls_refuse_a_stream_that_a_graph_captures";
    let Some((device, stream)) = with_driver(test) else { return };
    let (sum, x) = (SUM.compile(&device).unwrap(), stream.alloc_zeros::<f32>(1000).unwrap());
    let (inputs, mut workspace) = (DeviceInputs::new(&stream, &x), sum.workspace(&stream, 1000).unwrap());
    let memory = stream.alloc_zeros::<u8>(1 << 16).unwrap();
    sum.enqueue(&stream, &inputs, &mut workspace).unwrap();
    capture(true);
    let errors = [
        sum.enqueue(&stream, &inputs, &mut workspace).unwrap_err(),
        sum.read(&stream, &workspace).unwrap_err(),
        workspace.result::<f32>().unwrap_err(),
        sum.workspace(&stream, 1000).unwrap_err(),
        sum.reducer().workspace_in(memory, 1000).unwrap_err(),
        sum.reduce_device(&x).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, Error::Capturing) && error.is_usage_error(), "{error}");
        assert!(error.to_string().contains("enqueue_captured"), "{error}");
    }
    // SAFETY: nothing replays the graph.
    let counts = Calls::during(|| unsafe {
        sum.enqueue_captured(&stream, &inputs, &mut workspace).unwrap();
    });
    assert_eq!(counts, [0, 1, 0, 0, 0, 0, 0, 0, 0], "a launch, and no event that the graph would capture");
    capture(false);
    assert!(sum.read(&stream, &workspace).is_ok());
}
