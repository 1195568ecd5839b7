//! The driver calls that queued reductions make, and those that they avoid. Uses a libcuda that pretends to have GPUs
//! (`driver/`), in a child process. A real NVRTC compiles the kernels, which are not run. Set REDUCEGEN_REQUIRE_NVRTC=1
//! to fail without NVRTC.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod driver;

use driver::{
    Calls, fail_launches, last_launch, limit_clusters, refuse_images, set_capability, spec, with_driver,
    with_driver_and,
};
use reduce_ir::pass::Pass;
use reduce_ir::passes;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec};
use reduce_runtime::cudarc::driver::{CudaContext, CudaSlice, DevicePtr, DriverError, sys};
use reduce_runtime::{Cache, Device, DeviceInput, DeviceInputs, Error, Reducer, Reduction};
use std::path::Path;
use std::time::Instant;

#[test]
fn a_queued_call_is_one_launch_and_nothing_else() {
    let Some((device, stream)) = with_driver("a_queued_call_is_one_launch_and_nothing_else") else { return };
    let sum = Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), &device).unwrap();
    let x: CudaSlice<f32> = stream.alloc_zeros(1 << 20).unwrap();
    let mut workspace = sum.workspace(&stream, 1 << 20).unwrap();
    for n in [1 << 12, 1 << 16, 1 << 20] {
        let view = x.slice(..n);
        let mut run = |inputs: &[DeviceInput<'_>]| {
            sum.enqueue(&stream, inputs, &[], &mut workspace).unwrap();
            let start = Instant::now();
            let counts = Calls::during(|| {
                (0..10_000).for_each(|_| sum.enqueue(&stream, inputs, &[], &mut workspace).unwrap());
            });
            println!("2^{}: {:?} of the host beside the driver's", n.ilog2(), start.elapsed() / 10_000);
            counts
        };
        let each = run(&[DeviceInput::on_stream(&stream, &view)]);
        assert_eq!(each, [0, 10_000, 0, 0, 20_000, 0, 0, 0, 0], "n = {n}: each call records its read");
        let all = Calls::during(|| {
            let counts = DeviceInput::scope(vec![DeviceInput::on_stream(&stream, &view)], run).unwrap();
            assert_eq!(counts, [0, 10_000, 0, 0, 0, 0, 0, 0, 0], "n = {n}: the scope does");
        });
        assert_eq!(all[Calls::Events as usize], 3, "one event is waited for twice, and recorded");
    }
}

#[test]
fn launches_get_the_arguments_of_their_kernels() {
    let Some((device, stream)) = with_driver("launches_get_the_arguments_of_their_kernels") else { return };
    let x: CudaSlice<f32> = stream.alloc_zeros(1 << 20).unwrap();
    let inputs = [DeviceInput::on_stream(&stream, &x)];
    let run = |passes| {
        let spec = Spec { block: Some(256), ..spec("sum", Scalar::F32, passes) };
        let sum = Reducer::new(&spec, &device).unwrap();
        let mut workspace = sum.workspace(&stream, 1 << 20).unwrap();
        sum.enqueue(&stream, &inputs, &[], &mut workspace).unwrap();
        (workspace.result_ptr(), last_launch())
    };
    let ticket = vec![
        Pass::plain("shuffle"),
        Pass::with("coarsen", 16),
        Pass::plain("one_block"),
        Pass::plain("ticket"),
    ];
    let (result, [grid, block, dependent, items, partials, to, n, word, last, ..]) =
        run(Passes::List(ticket.clone()));
    assert_eq!((grid, block, n, to, last), (256, 256, 1 << 20, result, 0));
    assert_eq!(dependent, 0);
    let (_, [.., dependent, _, _, _, _, _, _, _, _]) =
        run(Passes::List([ticket, vec![Pass::plain("dependent")]].concat()));
    assert_eq!(dependent, 1);
    // SAFETY: the memory of the pretended GPU is host memory; the slice is alive.
    assert!(items % 256 == 0 || unsafe { *(items as *const f32) } == 0.0);
    assert!(partials % 256 == word % 256 && partials > result && word < result);
    let (result, [grid, _, _, from, partials, to, n, last, ..]) =
        run(Passes::List(vec![Pass::plain("shuffle")]));
    assert_eq!((grid, n, to, last), (1, 16, result, 0), "the third launch");
    assert_eq!((from, partials), (result + 240 + 4 * 4096, result + 240));
}

/// A kernel gets a pointer to the first element, and the step modulo 2^64: a negative one leads backwards.
#[test]
fn launches_get_the_first_element_and_the_step() {
    let Some((device, stream)) = with_driver("launches_get_the_first_element_and_the_step") else { return };
    let values: Vec<f32> = (0..100u8).map(f32::from).collect();
    let x = stream.clone_htod(&values).unwrap();
    let contiguous = spec("sum", Scalar::F32, Passes::Auto);
    let sum = Reducer::new(&Spec { domain: Domain::STRIDED, ..contiguous }, &device).unwrap();
    let mut workspace = sum.workspace(&stream, 1 << 10).unwrap();
    for (offset, step, len) in [(7, 3, 31), (99, -1, 100), (97, -32, 4), (50, 0, 1000)] {
        let input = DeviceInput::on_stream(&stream, &x).strided(offset, step, len);
        sum.enqueue(&stream, &[input], &[], &mut workspace).unwrap();
        let [_, _, _, first, apart, ..] = last_launch();
        // SAFETY: the memory of the pretended GPU is host memory; the slice is alive.
        assert_eq!(unsafe { *(first as *const f32) }, offset as f32, "{len} from {offset} on, {step} apart");
        assert_eq!(apart as i64, step as i64);
    }
    for (offset, step, len) in [(98, -1, 100), (99, -32, 5), (100, 0, 1), (100, -1, 1), (0, -1, 2)] {
        let input = DeviceInput::on_stream(&stream, &x).strided(offset, step, len);
        let error = sum.enqueue(&stream, &[input], &[], &mut workspace).unwrap_err();
        assert!(matches!(error, Error::OutsideData { data: 100, .. }), "{error}");
    }
}

/// Passes that need instructions of newer GPUs are refused by name; `auto` uses none of them there.
#[test]
fn a_gpu_that_is_too_old_for_the_passes_is_named() {
    let Some(_) = with_driver("a_gpu_that_is_too_old_for_the_passes_is_named") else { return };
    set_capability(8);
    let old = Device::cuda(1).unwrap();
    let reducer = |passes| Reducer::new(&spec("max", Scalar::I32, passes), &old);
    assert!(reducer(Passes::Auto).is_ok());
    assert!(reducer(Passes::List(vec![Pass::plain("shuffle"), Pass::plain("redux")])).is_ok());
    for pass in passes![cluster(2), dependent, trigger] {
        let error = reducer(Passes::List(vec![Pass::plain("shuffle"), pass])).unwrap_err();
        assert!(
            matches!(error, Error::ArchitectureTooOld { .. }) && error.is_usage_error(),
            "{pass}: {error}"
        );
        let message = "these kernels are for sm_90 and newer, and cuda:1 is sm_80; leave out";
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

/// If a GPU cannot make the clusters of `auto`, blocks combine by flags instead; clusters in a list of passes are an
/// error.
#[test]
fn clusters_that_a_gpu_cannot_make_are_none() {
    let Some((device, stream)) = with_driver("clusters_that_a_gpu_cannot_make_are_none") else { return };
    let x: CudaSlice<f32> = stream.alloc_zeros(1 << 17).unwrap();
    // Returns grid, block, and whether a launch on n elements takes a ticket.
    let launched = |largest, n: usize| {
        limit_clusters(largest);
        let sum = Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), &device).unwrap();
        let mut workspace = sum.workspace(&stream, 1 << 17).unwrap();
        let view = x.slice(..n);
        sum.enqueue(&stream, &[DeviceInput::on_stream(&stream, &view)], &[], &mut workspace).unwrap();
        let [grid, block, .., ticket, _, _, _] = last_launch();
        (grid, block, ticket != 0)
    };
    assert_eq!([launched(16, 1 << 14), launched(16, 1 << 17)], [(8, 256, false), (16, 512, false)]);
    assert_eq!([launched(8, 1 << 14), launched(8, 1 << 17)], [(8, 256, false), (16, 512, true)]);
    assert_eq!([launched(1, 1 << 14), launched(1, 1 << 17)], [(8, 256, true), (16, 512, true)]);
    let list = Passes::List(vec![Pass::plain("shuffle"), Pass::with("cluster", 4)]);
    let error = Reducer::new(&spec("sum", Scalar::F32, list), &device).unwrap_err();
    let message = "cuda:0 supports clusters of size 1 or less, and the passes need size 4; write a smaller";
    assert!(error.is_usage_error() && error.to_string().starts_with(message), "{error}");
}

#[test]
fn a_result_is_that_of_the_last_call_and_of_the_reduction_that_was_asked() {
    let test = "a_result_is_that_of_the_last_call_and_of_the_reduction_that_was_asked";
    let Some((device, stream)) = with_driver(test) else { return };
    let sum: Reduction<f32, f32> =
        Reduction::new(|| Ok(spec("sum", Scalar::F32, Passes::List(vec![Pass::plain("shuffle")]))));
    let [one, other] = [0; 2].map(|_| sum.compile(&device).unwrap());
    let x: CudaSlice<f32> = stream.alloc_zeros(4).unwrap();
    let (inputs, mut workspace) = (DeviceInputs::new(&stream, &x), one.workspace(&stream, 4).unwrap());
    one.enqueue(&stream, &inputs, &mut workspace).unwrap();
    assert!(one.read(&stream, &workspace).is_ok());
    assert!(matches!(other.read(&stream, &workspace), Err(Error::OtherWorkspace)));
    fail_launches(1);
    assert!(matches!(one.enqueue(&stream, &inputs, &mut workspace), Err(Error::Driver { .. })));
    assert!(matches!(one.read(&stream, &workspace), Err(Error::NothingEnqueued)));
    let none = x.slice(..0);
    for inputs in [&inputs, &DeviceInputs::new(&stream, &none)] {
        one.enqueue(&stream, inputs, &mut workspace).unwrap();
        // An error that another call left is returned by the next call.
        let error = DriverError(sys::CUresult::CUDA_ERROR_NOT_PERMITTED);
        stream.context().record_err(Err::<(), _>(error));
        assert!(one.enqueue(&stream, inputs, &mut workspace).is_err());
        assert!(matches!(one.read(&stream, &workspace), Err(Error::NothingEnqueued)));
    }
}

#[test]
fn no_elements_set_the_result_and_a_new_ticket_is_zero() {
    let Some((device, stream)) = with_driver("no_elements_set_the_result_and_a_new_ticket_is_zero") else {
        return;
    };
    let sum = Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), &device).unwrap();
    let x: CudaSlice<f32> = stream.alloc_zeros(4).unwrap();
    let mut workspace = sum.workspace(&stream, 1 << 20).unwrap();
    // SAFETY: the memory of the pretended GPU is host memory.
    assert_eq!(unsafe { *((workspace.result_ptr() - 16) as *const u32) }, 0);
    assert!(matches!(workspace.read(&stream), Err(Error::NothingEnqueued)));
    let view = x.slice(..0);
    let counts = Calls::during(|| {
        sum.enqueue(&stream, &[DeviceInput::on_stream(&stream, &view)], &[], &mut workspace).unwrap();
    });
    assert_eq!(counts[Calls::Launches as usize], 0);
    assert_eq!(workspace.read(&stream).unwrap()[0].get::<f32>().unwrap().to_bits(), 0);
}

/// Memory of the caller is used as it is, and is returned with the same address.
#[test]
fn a_workspace_can_be_in_memory_of_the_caller() {
    let Some((device, stream)) = with_driver("a_workspace_can_be_in_memory_of_the_caller") else { return };
    let sum = Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), &device).unwrap();
    let x: CudaSlice<f32> = stream.alloc_zeros(1 << 20).unwrap();
    let bytes = sum.workspace_bytes(1 << 20).unwrap() as usize;
    // SAFETY: the contents of the memory do not matter.
    let [memory, short] = [bytes, bytes - 1].map(|bytes| unsafe { stream.alloc::<u8>(bytes) }.unwrap());
    let at = memory.device_ptr(&stream).0;
    let counts = Calls::during(|| {
        let mut workspace = sum.workspace_in(memory, 1 << 20).unwrap();
        assert_eq!(workspace.result_ptr(), at + 16);
        sum.enqueue(&stream, &[DeviceInput::on_stream(&stream, &x)], &[], &mut workspace).unwrap();
        // SAFETY: the memory of the pretended GPU is host memory.
        assert_eq!(unsafe { *(at as *const u32) }, 0, "the ticket");
        assert_eq!(workspace.into_memory().device_ptr(&stream).0, at);
    });
    assert_eq!((counts[Calls::Launches as usize], counts[Calls::Allocations as usize]), (1, 0));
    let error = sum.workspace_in(short, 1 << 20).unwrap_err();
    let expected = format!("a workspace for 1048576 elements needs {bytes} bytes at a multiple of 256");
    assert!(error.to_string().starts_with(&expected) && error.is_usage_error(), "{error}");
    let elsewhere = CudaContext::new(1).unwrap().new_stream().unwrap();
    let error = sum.workspace_in(elsewhere.alloc_zeros(bytes).unwrap(), 1 << 20).unwrap_err();
    assert!(matches!(error, Error::StreamOfOtherContext { .. }), "{error}");
}

/// The bytes of a workspace do not wrap to a small number, which would then suffice for calls on fewer elements.
#[test]
fn more_elements_than_any_memory_holds_are_too_many() {
    let Some((device, stream)) = with_driver("more_elements_than_any_memory_holds_are_too_many") else {
        return;
    };
    let passes = Passes::List(vec![Pass::plain("in_place")]);
    let sum = Reducer::new(&spec("sum", Scalar::F64, passes), &device).unwrap();
    // The second n needs 2^64 bytes and a few, 8 bytes for each item and for one partial per 512 items.
    for n in [1 << 61, ((1_u128 << 70) / 513) as u64 + 300, u64::MAX] {
        assert!(sum.workspace_bytes(n).unwrap() > 1 << 60, "n = {n}");
        let given = sum.workspace_in(stream.alloc_zeros(1 << 20).unwrap(), n).unwrap_err();
        assert!(matches!(given, Error::WorkspaceMemory { .. }), "{given}");
    }
    let largest = sum.workspace(&stream, u64::MAX).unwrap_err();
    let read = device.time_read(u64::MAX).unwrap_err();
    assert!([largest, read].iter().all(|error| matches!(error, Error::OutOfMemory { asked: u64::MAX, .. })));
}

/// A stream that reads the view waits for an event that is recorded after the call.
#[test]
fn a_view_of_the_result_is_behind_the_call() {
    let Some((device, stream)) = with_driver("a_view_of_the_result_is_behind_the_call") else { return };
    let sum = Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), &device).unwrap();
    let x: CudaSlice<f32> = stream.alloc_zeros(100).unwrap();
    let mut workspace = sum.workspace(&stream, 100).unwrap();
    assert!(matches!(workspace.result::<f32>(), Err(Error::NothingEnqueued)));
    sum.enqueue(&stream, &[DeviceInput::on_stream(&stream, &x)], &[], &mut workspace).unwrap();
    let counts = Calls::during(|| assert!(workspace.result::<f32>().is_ok()));
    assert!(counts[Calls::Events as usize] > 0, "{counts:?}");
    assert!(matches!(workspace.result::<i32>(), Err(Error::OutputType { .. })));
}

#[test]
fn threads_load_a_module_once_and_it_is_unloaded_with_the_last_reducer() {
    let test = "threads_load_a_module_once_and_it_is_unloaded_with_the_last_reducer";
    let Some((device, _)) = with_driver(test) else { return };
    let spec = spec("max", Scalar::I32, Passes::List(vec![Pass::plain("shuffle")]));
    let new = || Reducer::new(&spec, &device).unwrap();
    let counts = Calls::during(|| {
        let held = new();
        let others =
            std::thread::scope(|scope| [0; 4].map(|_| scope.spawn(new)).map(|thread| thread.join().unwrap()));
        drop((held, others));
    });
    assert_eq!((counts[Calls::Loads as usize], counts[Calls::Unloads as usize]), (1, 1));
    let second = Device::cuda(1).unwrap().with_cache(Cache::off());
    let counts = Calls::during(|| drop([new(), Reducer::new(&spec, &second).unwrap()]));
    assert_eq!(counts[Calls::Loads as usize], 2, "one for each context");
    assert_eq!(device.compiler().unwrap().compiled(), 2, "nobody held the first any more");
}

#[test]
fn every_case_is_compiled_once_in_parallel() {
    let Some((device, _)) = with_driver("every_case_is_compiled_once_in_parallel") else { return };
    let sum = Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), &device).unwrap();
    let cases = sum.programs().variants().len();
    assert!(cases > 3 && device.compiler().unwrap().compiled() == 0);
    let counts = Calls::during(|| {
        std::thread::scope(|scope| {
            (0..3).for_each(|_| drop(scope.spawn(|| sum.prepare_all().unwrap())));
        });
        sum.prepare(1 << 20).unwrap();
    });
    assert_eq!(device.compiler().unwrap().compiled(), cases as u64);
    assert_eq!(counts[Calls::Loads as usize], cases as u32);
    assert!(counts[Calls::Attributes as usize] > 0, "clusters of 16 blocks were allowed");
}

/// No memory can hold a stack of this size, so creating a thread fails.
#[test]
fn where_no_thread_can_be_made_the_caller_compiles() {
    let test = "where_no_thread_can_be_made_the_caller_compiles";
    let Some((device, _)) = with_driver_and(test, &[("RUST_MIN_STACK", "1152921504606846976")]) else {
        return;
    };
    assert!(std::thread::Builder::new().spawn(|| ()).is_err());
    let sum = Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), &device).unwrap();
    sum.prepare_all().unwrap();
    assert_eq!(device.compiler().unwrap().compiled(), sum.programs().variants().len() as u64);
}

#[test]
fn an_image_that_the_driver_refuses_is_compiled_again() {
    let Some((_, _)) = with_driver("an_image_that_the_driver_refuses_is_compiled_again") else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache-refused");
    let _ = std::fs::remove_dir_all(&folder);
    let new_after = |refused, error| {
        let device = Device::cuda(0).unwrap().with_cache(Cache::at(&folder));
        refuse_images(refused, error);
        let reducer = Reducer::new(&spec("min", Scalar::F32, Passes::List(Vec::new())), &device);
        (reducer.map(drop), device.compiler().unwrap().compiled())
    };
    let new = |refused| new_after(refused, 200);
    assert_eq!((new(0).1, new(0).1), (1, 0), "kept");
    let (again, compiled) = new(1);
    assert!(again.is_ok() && compiled == 1, "{again:?}");
    assert_eq!(new(0).1, 0, "replaced");
    let (error, compiled) = new_after(1, 2);
    assert!(matches!(error, Err(Error::Driver { code: 2, .. })) && compiled == 0, "{error:?}");
    assert_eq!(new(0).1, 0, "an error that is not the image's leaves it there");
    let (error, compiled) = new(2);
    assert!(matches!(error, Err(Error::Driver { code: 200, .. })) && compiled == 1, "{error:?}");
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_launched() {
    let test = "what_does_not_fit_is_refused_before_anything_is_launched";
    let Some((device, stream)) = with_driver(test) else { return };
    let new = || Reducer::new(&spec("sum", Scalar::F32, Passes::Auto), &device).unwrap();
    let (sum, other) = (new(), CudaContext::new(0).unwrap().new_stream().unwrap());
    let x: CudaSlice<f32> = stream.alloc_zeros(100).unwrap();
    let ints: CudaSlice<i32> = stream.alloc_zeros(100).unwrap();
    let inputs = [DeviceInput::on_stream(&stream, &x)];
    let [mut small, mut fits] = [99, 100].map(|n| sum.workspace(&stream, n).unwrap());
    let away = CudaContext::new(1).unwrap();
    let elsewhere = [DeviceInput::on_stream(&other, &x)];
    let far: CudaSlice<f32> = away.default_stream().alloc_zeros(100).unwrap();
    let far = [DeviceInput::on_stream(&stream, &far)];
    let wrong = [DeviceInput::on_stream(&stream, &ints)];
    let before = Calls::Launches.count();
    let errors = [
        sum.enqueue(&stream, &inputs, &[], &mut small).unwrap_err(),
        sum.enqueue(&other, &inputs, &[], &mut fits).unwrap_err(),
        new().enqueue(&stream, &inputs, &[], &mut fits).unwrap_err(),
        sum.enqueue(&stream, &elsewhere, &[], &mut fits).unwrap_err(),
        sum.enqueue(&stream, &far, &[], &mut fits).unwrap_err(),
        sum.enqueue(&stream, &wrong, &[], &mut fits).unwrap_err(),
        sum.workspace(&away.default_stream(), 1).unwrap_err(),
        sum.workspace(&CudaContext::new(0).unwrap().per_thread_stream(), 1).unwrap_err(),
        fits.read(&stream).unwrap_err(),
    ];
    let names = errors.each_ref().map(|error| format!("{error:?}"));
    let expected = [
        "SmallWorkspace { n: 100, most: 99 }",
        "OtherStream",
        "OtherWorkspace",
        "InputOfOtherStream { input: 0 }",
        "OtherContext { input: 0",
        "InputType",
        "StreamOfOtherContext",
        "PerThreadStream",
        "NothingEnqueued",
    ];
    assert!(names.iter().zip(expected).all(|(name, start)| name.starts_with(start)), "{names:?}");
    assert!(errors.iter().all(Error::is_usage_error) && Calls::Launches.count() == before);
}
