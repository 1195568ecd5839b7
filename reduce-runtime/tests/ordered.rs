//! Memory that calls use is neither freed nor written before they are done, whatever fails meanwhile. Uses the libcuda
//! that pretends to have GPUs (`driver/`), which records how streams are ordered.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod driver;

use driver::{Calls, call_at_launch, fail_waits, spec, unordered_accesses, with_driver};
use reduce_ir::Scalar;
use reduce_ir::spec::Passes;
use reduce_lanes::LanesRef;
use reduce_runtime::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError, sys};
use reduce_runtime::{Device, DeviceInput, Reducer};
use std::sync::{Arc, OnceLock};

fn sum(device: &Device) -> Reducer {
    Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), device).unwrap()
}

/// Queues a sum of a slice on each stream, drops all inputs in their order, then calls `then` with the memory. Returns
/// how often that was too early.
fn after_reading(device: &Device, streams: [&Arc<CudaStream>; 2], then: impl FnOnce(CudaSlice<f32>)) -> u32 {
    let owner = streams[1].context().new_stream().unwrap();
    let (sum, x) = (sum(device), owner.alloc_zeros::<f32>(1000).unwrap());
    let mut workspaces = streams.map(|stream| sum.workspace(stream, 1000).unwrap());
    for (stream, workspace) in streams.iter().zip(&mut workspaces) {
        let inputs = [DeviceInput::on_stream(stream, &x)];
        sum.enqueue(stream, &inputs, &[], workspace).unwrap();
    }
    let before = unordered_accesses();
    then(x);
    unordered_accesses() - before
}

#[test]
fn a_slice_is_freed_and_written_behind_all_streams_that_read_it() {
    let test = "a_slice_is_freed_and_written_behind_all_streams_that_read_it";
    let Some((device, stream)) = with_driver(test) else { return };
    let other = stream.context().new_stream().unwrap();
    assert_eq!(after_reading(&device, [&stream, &other], drop), 0, "freed");
    let write = |mut x: CudaSlice<f32>| {
        let owner = x.stream().clone();
        owner.memcpy_htod(&[1.0; 1000], &mut x).unwrap();
        std::mem::forget(x);
    };
    assert_eq!(after_reading(&device, [&stream, &other], write), 0, "written");
}

#[test]
fn kernels_are_unloaded_when_they_are_done() {
    let Some((device, stream)) = with_driver("kernels_are_unloaded_when_they_are_done") else { return };
    let (sum, x) = (sum(&device), stream.alloc_zeros::<f32>(1000).unwrap());
    let mut workspace = sum.workspace(&stream, 1000).unwrap();
    sum.enqueue(&stream, &[DeviceInput::on_stream(&stream, &x)], &[], &mut workspace).unwrap();
    let (before, unloads) = (unordered_accesses(), Calls::Unloads.count());
    drop((sum, workspace));
    assert_eq!((unordered_accesses() - before, Calls::Unloads.count() - unloads), (0, 1));
}

#[test]
fn a_view_that_is_read_on_its_own_stream_does_not_hide_the_other() {
    let test = "a_view_that_is_read_on_its_own_stream_does_not_hide_the_other";
    let Some((device, stream)) = with_driver(test) else { return };
    let other = stream.context().new_stream().unwrap();
    let (sum, x) = (sum(&device), stream.alloc_zeros::<f32>(1000).unwrap());
    let mut workspaces = [&other, &stream].map(|stream| sum.workspace(stream, 500).unwrap());
    for (stream, (workspace, half)) in
        [&other, &stream].iter().zip(workspaces.iter_mut().zip([x.slice(..500), x.slice(500..)]))
    {
        sum.enqueue(stream, &[DeviceInput::on_stream(stream, &half)], &[], workspace).unwrap();
    }
    let before = unordered_accesses();
    drop(x);
    assert_eq!(unordered_accesses(), before);
}

/// If its object for a context has only one stream, cudarc does not order it with streams of another object for that
/// context.
#[test]
fn contexts_of_one_device_keep_each_others_order() {
    let Some((device, stream)) = with_driver("contexts_of_one_device_keep_each_others_order") else { return };
    let (sum, alone) = (sum(&device), CudaContext::new(0).unwrap().default_stream());
    let x = alone.alloc_zeros::<f32>(1000).unwrap();
    let mut workspace = sum.workspace(&stream, 1000).unwrap();
    let mut inputs = Vec::new();
    let queued = Calls::during(|| inputs.push(DeviceInput::on_stream(&stream, &x)));
    assert!(queued[Calls::Events as usize] > 0, "the stream waits for what wrote the slice");
    sum.enqueue(&stream, &inputs, &[], &mut workspace).unwrap();
    drop(inputs);
    let before = unordered_accesses();
    drop(x);
    assert_eq!(unordered_accesses(), before);
}

/// cudarc stores an error that it could not return, and the next call returns it instead of doing its work.
#[test]
fn an_error_that_another_thread_left_is_none_of_the_reduction() {
    let test = "an_error_that_another_thread_left_is_none_of_the_reduction";
    static CONTEXT: OnceLock<Arc<CudaContext>> = OnceLock::new();
    extern "C" fn leave_an_error() {
        let error = DriverError(sys::CUresult::CUDA_ERROR_NOT_PERMITTED);
        CONTEXT.get().into_iter().for_each(|context| context.record_err(Err::<(), _>(error)));
    }
    let Some((device, stream)) = with_driver(test) else { return };
    let (sum, x) = (sum(&device), stream.alloc_zeros::<f32>(1000).unwrap());
    CONTEXT.set(stream.context().clone()).unwrap();
    call_at_launch(leave_an_error);
    let counts = Calls::during(|| assert!(sum.reduce_device(&[DeviceInput::new(&x)]).is_ok()));
    assert_eq!(counts[Calls::Waits as usize], 2, "for memory, and for the result");
    assert!(stream.context().check_err().is_err(), "the next call of cudarc gives it");
}

#[test]
fn memory_of_kernels_that_could_not_be_waited_for_is_not_freed() {
    let test = "memory_of_kernels_that_could_not_be_waited_for_is_not_freed";
    extern "C" fn fail_the_next_wait() {
        fail_waits(1);
    }
    let Some((device, stream)) = with_driver(test) else { return };
    let (sum, x) = (sum(&device), stream.alloc_zeros::<f32>(1000).unwrap());
    call_at_launch(fail_the_next_wait);
    let counts = Calls::during(|| {
        assert!(sum.reduce_device(&[DeviceInput::new(&x)]).is_err());
        drop(sum);
    });
    assert_eq!((counts[Calls::Allocations as usize], counts[Calls::Frees as usize]), (1, 0));
}

/// Memory of the null stream is freed in the current context, and a new thread has none.
#[test]
fn reducers_and_workspaces_free_their_memory_on_any_thread() {
    let test = "reducers_and_workspaces_free_their_memory_on_any_thread";
    let Some((device, stream)) = with_driver(test) else { return };
    let null = stream.context().default_stream();
    let counts = Calls::during(|| {
        let sum = sum(&device);
        sum.reduce(&[LanesRef::F32(&[1.0; 1000])]).unwrap();
        let workspace = sum.workspace(&null, 1000).unwrap();
        std::thread::spawn(move || drop(sum)).join().unwrap();
        std::thread::spawn(move || drop(workspace)).join().unwrap();
    });
    assert_eq!((counts[Calls::Allocations as usize], counts[Calls::Frees as usize]), (3, 3));
    stream.context().check_err().unwrap();
}
