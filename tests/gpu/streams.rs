//! Queued reductions: on several streams from several threads, in graphs, and with inputs and workspaces that do not fit.

use super::cases::{self, LISTS, spec};
use super::data::Kind;
use super::device::{gpu, gpu_alone};
use super::skip::skipped;
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;
use reduce_runtime::cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg, sys,
};
use reduce_runtime::cudarc::nvrtc::Ptx;
use reduce_runtime::{
    Cache, Compiled, Device, DeviceInput, DeviceInputs, Error, Nvrtc, Reducer, Reduction, Target, Workspace,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of elements, and sizes for several variants of `passes: auto`.
const MOST: usize = (1 << 20) + 3;
const SIZES: [usize; 9] = [1, 1000, 1 << 13, 50_000, 1 << 17, 200_001, 1 << 18, 1 << 20, MOST];

static SUM: Reduction<f32, f32> = Reduction::new(|| Ok(cases::auto("sum", Scalar::F32)));
static ARGMAX: Reduction<f32, u64> = Reduction::new(|| Ok(cases::auto("argmax", Scalar::F32)));
static DOT: Reduction<(f32, f32), f32> = Reduction::new(|| Ok(cases::auto("dot", Scalar::F32)));

fn elements() -> Vec<f32> {
    let Lanes::F32(elements) = Kind::Plain.lanes(Scalar::F32, MOST) else { unreachable!("they are f32") };
    elements.to_vec()
}

fn new_stream() -> Arc<CudaStream> {
    CudaContext::new(0).unwrap().new_stream().unwrap()
}

fn workspace<In, Out: reduce_runtime::Output>(
    compiled: &Compiled<In, Out>,
    stream: &Arc<CudaStream>,
) -> Workspace {
    compiled.workspace(stream, MOST as u64).unwrap()
}

/// Enqueues reductions of other data on streams of its own until it is told to stop.
fn noise(device: &Device, stop: &AtomicBool) {
    let (argmax, streams) = (ARGMAX.compile(device).unwrap(), [new_stream(), new_stream()]);
    let slices = streams.each_ref().map(|stream| stream.clone_htod(&elements()).unwrap());
    let mut workspaces = streams.each_ref().map(|stream| workspace(&argmax, stream));
    while !stop.load(Ordering::Relaxed) {
        for ((stream, slice), workspace) in streams.iter().zip(&slices).zip(&mut workspaces) {
            let inputs = DeviceInputs::new(stream, slice);
            (0..16).for_each(|_| argmax.enqueue(stream, &inputs, workspace).unwrap());
        }
        streams.iter().for_each(|stream| stream.synchronize().unwrap());
    }
}

/// Runs with load on other streams: every size gives the bits of the host, every time.
#[test]
fn a_thousand_runs_with_noise_on_other_streams_give_one_bit_pattern() {
    let Some(device) = gpu("a_thousand_runs_with_noise_on_other_streams_give_one_bit_pattern") else {
        return;
    };
    let (sum, x) = (SUM.compile(&device).unwrap(), elements());
    let expected = SIZES.map(|n| SUM.reduce(&x[..n]).unwrap().to_bits());
    let stop = AtomicBool::new(false);
    let run = || {
        let stream = new_stream();
        let slice = stream.clone_htod(&x).unwrap();
        let mut results: CudaSlice<f32> = stream.alloc_zeros(SIZES.len()).unwrap();
        let mut workspace = workspace(&sum, &stream);
        for turn in 0..250 {
            for (place, &n) in SIZES.iter().enumerate() {
                let view = slice.slice(..n);
                sum.enqueue(&stream, &DeviceInputs::new(&stream, &view), &mut workspace).unwrap();
                let mut to = results.slice_mut(place..=place);
                stream.memcpy_dtod(&workspace.result::<f32>().unwrap(), &mut to).unwrap();
            }
            let found = stream.clone_dtoh(&results).unwrap();
            assert_eq!(found.iter().map(|it| it.to_bits()).collect::<Vec<_>>(), expected, "turn {turn}");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| noise(&device, &stop));
        let threads = [0; 4].map(|_| scope.spawn(run));
        let ends = threads.map(|thread| thread.join());
        stop.store(true, Ordering::Relaxed);
        assert!(ends.iter().all(Result::is_ok));
    });
}

#[test]
fn calls_on_several_streams_are_in_flight_together() {
    let Some(device) = gpu("calls_on_several_streams_are_in_flight_together") else { return };
    let (dot, x) = (DOT.compile(&device).unwrap(), elements());
    let expected = DOT.reduce((&x, &x)).unwrap();
    let streams: Vec<_> = (0..8).map(|_| new_stream()).collect();
    let slices: Vec<_> = streams.iter().map(|stream| stream.clone_htod(&x).unwrap()).collect();
    let mut workspaces: Vec<_> = streams.iter().map(|stream| workspace(&dot, stream)).collect();
    for _ in 0..100 {
        for ((stream, slice), workspace) in streams.iter().zip(&slices).zip(&mut workspaces) {
            dot.enqueue(stream, &DeviceInputs::new(stream, (slice, slice)), workspace).unwrap();
        }
    }
    for (stream, workspace) in streams.iter().zip(&workspaces) {
        assert_eq!(dot.read(stream, workspace).unwrap(), expected);
    }
}

/// The workspace is memory of the caller, with the contents that another workspace left, or with all bits set: flags and a
/// count.
#[test]
fn a_workspace_may_lie_in_any_memory() {
    let Some(device) = gpu("a_workspace_may_lie_in_any_memory") else { return };
    let stream = new_stream();
    let x = elements();
    let slice = stream.clone_htod(&x).unwrap();
    let specs = ["sum", "argmax", "describe", "max"].map(|op| cases::auto(op, Scalar::F32));
    let reducers = specs.each_ref().map(|spec| Reducer::new(spec, &device).unwrap());
    let bytes = reducers.iter().map(|reducer| reducer.workspace_bytes(MOST as u64).unwrap()).max().unwrap();
    let mut memory = stream.clone_htod(&vec![0xff; bytes as usize]).unwrap();
    for (spec, reducer) in specs.iter().zip(&reducers) {
        let mut workspace = reducer.workspace_in(memory, MOST as u64).unwrap();
        let host = Reducer::new(spec, &Device::host()).unwrap();
        for n in SIZES {
            let view = slice.slice(..n);
            reducer.enqueue(&stream, &[DeviceInput::on_stream(&stream, &view)], &[], &mut workspace).unwrap();
            let expected = host.reduce(&[Lanes::from(x.clone()).borrow().slice(0..n)]).unwrap().values;
            assert_eq!(workspace.read(&stream).unwrap(), expected, "{}, n = {n}", spec.text);
        }
        memory = workspace.into_memory();
    }
}

/// One workspace for all sizes, for programs with several launches, trees in place, atomics and clusters.
#[test]
fn queued_reductions_give_the_bits_of_the_host() {
    let Some(device) = gpu("queued_reductions_give_the_bits_of_the_host") else { return };
    let stream = new_stream();
    let listed = (0..LISTS.len()).map(|list| spec("sum", Scalar::I32, LISTS[list])).filter(cases::fits);
    for spec in listed.chain([cases::auto("sum", Scalar::I32), cases::auto("min", Scalar::I32)]) {
        let [gpu, host] = [&device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap());
        let lanes = Kind::Plain.lanes(Scalar::I32, MOST);
        let Lanes::I32(elements) = &lanes else { unreachable!("they are i32") };
        let slice = stream.clone_htod(&elements[..]).unwrap();
        let mut workspace = gpu.workspace(&stream, MOST as u64).unwrap();
        for n in SIZES.into_iter().rev().chain([0]).chain(SIZES) {
            let view = slice.slice(..n);
            gpu.enqueue(&stream, &[DeviceInput::on_stream(&stream, &view)], &[], &mut workspace).unwrap();
            let expected = host.reduce(&[lanes.borrow().slice(0..n)]).unwrap().values;
            assert_eq!(workspace.read(&stream).unwrap(), expected, "{}, n = {n}", spec.text);
        }
    }
}

#[test]
fn a_graph_replays_what_was_enqueued() {
    let Some(device) = gpu_alone("a_graph_replays_what_was_enqueued") else { return };
    let (sum, stream) = (SUM.compile(&device).unwrap(), new_stream());
    sum.reducer().prepare_all().unwrap();
    for n in SIZES {
        let mut x: CudaSlice<f32> = stream.alloc_zeros(n).unwrap();
        let mut results: CudaSlice<f32> = stream.alloc_zeros(2).unwrap();
        let mut workspace = workspace(&sum, &stream);
        let inputs = DeviceInputs::new(&stream, &x);
        let result = workspace.result_ptr();
        stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        // SAFETY: all memory of the call lives as long as the graph, which is replayed on the stream of the workspace.
        let enqueued =
            (0..3).try_for_each(|_| unsafe { sum.enqueue_captured(&stream, &inputs, &mut workspace) });
        let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).unwrap().unwrap();
        enqueued.unwrap();
        drop(inputs);
        assert_eq!(workspace.result_ptr(), result);
        for turn in 0..20 {
            let elements: Vec<_> = elements()[..n].iter().map(|x| x * turn as f32).collect();
            stream.memcpy_htod(&elements, &mut x).unwrap();
            graph.launch().unwrap();
            let mut to = results.slice_mut(..1);
            stream.memcpy_dtod(&workspace.result::<f32>().unwrap(), &mut to).unwrap();
            // Between replays, calls that are not captured use the same workspace.
            sum.enqueue(&stream, &DeviceInputs::new(&stream, &x), &mut workspace).unwrap();
            let again = sum.read(&stream, &workspace).unwrap();
            let expected = SUM.reduce(&elements).unwrap().to_bits();
            let found = stream.clone_dtoh(&results).unwrap()[0];
            assert_eq!([found.to_bits(), again.to_bits()], [expected; 2], "n = {n}, turn {turn}");
        }
    }
}

/// Lets the next launch begin at once, and writes its elements after a tenth of a millisecond.
const LATE: &str = r#"
extern "C" __global__ void late(float* x, unsigned long long n, float value)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    for (const long long start = clock64(); clock64() - start < 200000;) {}
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = value;
}
"#;

/// On a stream and in a graph, where dependent launches may overlap.
#[test]
fn a_reduction_sees_what_the_kernel_before_it_writes_last() {
    let Some(device) = gpu_alone("a_reduction_sees_what_the_kernel_before_it_writes_last") else { return };
    let (sum, stream) = (SUM.compile(&device).unwrap(), new_stream());
    sum.reducer().prepare_all().unwrap();
    let cubin = Target::Cubin(device.architecture().unwrap());
    let image = Nvrtc::get().unwrap().compile(LATE, cubin).unwrap().bytes;
    let late = stream.context().load_module(Ptx::from_binary(image)).unwrap().load_function("late").unwrap();
    let (x, mut workspace) = (stream.alloc_zeros::<f32>(MOST).unwrap(), workspace(&sum, &stream));
    let (pointer, _read) = x.device_ptr(&stream);
    for n in SIZES {
        let (view, count) = (x.slice(..n), n as u64);
        let inputs = DeviceInputs::new(&stream, &view);
        let late_write = |value: f32| {
            let mut builder = stream.launch_builder(&late);
            builder.arg(&pointer).arg(&count).arg(&value);
            let config = LaunchConfig { grid_dim: (32, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
            // SAFETY: the arguments match the kernel, which writes n elements of allocated memory.
            unsafe { builder.launch(config) }.unwrap();
        };
        stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        late_write(3.0);
        // SAFETY: all memory of the call lives as long as the graph, which is replayed on the stream of the workspace.
        unsafe { sum.enqueue_captured(&stream, &inputs, &mut workspace) }.unwrap();
        let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).unwrap().unwrap();
        for value in [1.0, 2.0] {
            late_write(value);
            sum.enqueue(&stream, &inputs, &mut workspace).unwrap();
            assert_eq!(sum.read(&stream, &workspace).unwrap(), n as f32 * value, "n = {n}");
            graph.launch().unwrap();
            assert_eq!(sum.read(&stream, &workspace).unwrap(), n as f32 * 3.0, "n = {n}, in a graph");
        }
    }
}

#[test]
fn no_elements_give_the_identity_also_in_a_graph() {
    let Some(device) = gpu_alone("no_elements_give_the_identity_also_in_a_graph") else { return };
    let (sum, argmax, stream) =
        (SUM.compile(&device).unwrap(), ARGMAX.compile(&device).unwrap(), new_stream());
    let x = stream.clone_htod(&[1.0f32, 2.0]).unwrap();
    let (all, none) = (x.slice(..), x.slice(..0));
    let (all, none) = (DeviceInputs::new(&stream, &all), DeviceInputs::new(&stream, &none));
    let mut workspace = sum.workspace(&stream, 2).unwrap();
    sum.enqueue(&stream, &all, &mut workspace).unwrap();
    assert_eq!(sum.read(&stream, &workspace).unwrap(), 3.0);
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    // SAFETY: all memory of the call lives as long as the graph, which is replayed on the stream of the workspace.
    unsafe { sum.enqueue_captured(&stream, &none, &mut workspace) }.unwrap();
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).unwrap().unwrap();
    graph.launch().unwrap();
    assert_eq!(sum.read(&stream, &workspace).unwrap().to_bits(), SUM.reduce(&[]).unwrap().to_bits());
    let mut other = argmax.workspace(&stream, 2).unwrap();
    let error = argmax.enqueue(&stream, &none, &mut other).unwrap_err();
    assert!(matches!(error, Error::Empty { .. }) && error.is_usage_error(), "{error}");
}

#[test]
fn a_reducer_and_its_workspace_may_be_dropped_while_they_run() {
    let Some(device) = gpu("a_reducer_and_its_workspace_may_be_dropped_while_they_run") else { return };
    let (stream, x) = (new_stream(), elements());
    let expected = SUM.reduce(&x).unwrap();
    let mut results: CudaSlice<f32> = stream.alloc_zeros(50).unwrap();
    let slice = stream.clone_htod(&x).unwrap();
    for place in 0..50 {
        let sum = SUM.compile(&device).unwrap();
        let mut workspace = workspace(&sum, &stream);
        let inputs = DeviceInputs::new(&stream, &slice);
        (0..20).for_each(|_| sum.enqueue(&stream, &inputs, &mut workspace).unwrap());
        let mut to = results.slice_mut(place..=place);
        stream.memcpy_dtod(&workspace.result::<f32>().unwrap(), &mut to).unwrap();
    }
    assert_eq!(stream.clone_dtoh(&results).unwrap(), [expected; 50]);
}

/// A new compiler each time, and the device's cache is off, so that only the process caches. No other test has this
/// program.
#[test]
fn reducers_of_one_program_share_a_module() {
    let Some(device) = gpu("reducers_of_one_program_share_a_module") else { return };
    let spec = super::subjects::spec("ty: u64, map: |x| x ^ 4711, op: prod, passes: [shuffle]");
    let new = || {
        let device = device.clone().with_cache(Cache::off());
        let reducer = Reducer::new(&spec, &device).unwrap();
        (device.compiler().unwrap().compiled(), reducer)
    };
    let (first, held) = new();
    let threads = std::thread::scope(|scope| {
        [0; 4].map(|_| scope.spawn(|| new().0)).map(|thread| thread.join().unwrap())
    });
    assert_eq!((first, threads), (1, [0; 4]));
    drop(held);
    assert_eq!(new().0, 1, "nobody held it any more");
}

#[test]
fn what_does_not_fit_is_refused_and_does_no_harm() {
    let Some(device) = gpu("what_does_not_fit_is_refused_and_does_no_harm") else { return };
    let (sum, stream, other) = (SUM.compile(&device).unwrap(), new_stream(), new_stream());
    let x = stream.clone_htod(&[1.0f32; 100]).unwrap();
    let inputs = DeviceInputs::new(&stream, &x);
    let mut small = sum.workspace(&stream, 99).unwrap();
    let mut fits = sum.workspace(&stream, 100).unwrap();
    let foreign = CudaContext::new_non_primary(0, 0).unwrap().new_stream().unwrap();
    let null = CudaContext::new(0).unwrap().per_thread_stream();
    let errors = [
        sum.enqueue(&stream, &inputs, &mut small).unwrap_err(),
        sum.read(&stream, &fits).unwrap_err(),
        sum.enqueue(&other, &inputs, &mut fits).unwrap_err(),
        SUM.compile(&device).unwrap().enqueue(&stream, &inputs, &mut fits).unwrap_err(),
        sum.enqueue(&stream, &DeviceInputs::new(&other, &x), &mut fits).unwrap_err(),
        sum.workspace(&foreign, 1).unwrap_err(),
        sum.workspace(&null, 1).unwrap_err(),
        SUM.compile(&Device::host()).unwrap().workspace(&stream, 1).unwrap_err(),
    ];
    assert!(errors.iter().all(Error::is_usage_error), "{errors:?}");
    assert!(
        matches!(
            &errors,
            [
                Error::SmallWorkspace { n: 100, most: 99 },
                Error::NothingEnqueued,
                Error::OtherStream,
                Error::OtherWorkspace,
                Error::InputOfOtherStream { input: 0 },
                Error::StreamOfOtherContext { .. },
                Error::PerThreadStream,
                Error::DeviceMemoryOnHost,
            ]
        ),
        "{errors:?}"
    );
    sum.enqueue(&stream, &inputs, &mut fits).unwrap();
    assert_eq!(sum.read(&stream, &fits).unwrap(), 100.0);
    assert!(matches!(fits.result::<f64>(), Err(Error::OutputType { .. })));
    assert!(matches!(sum.read(&foreign, &fits), Err(Error::StreamOfOtherContext { .. })));
}

#[test]
fn params_may_change_from_call_to_call() {
    let Some(device) = gpu("params_may_change_from_call_to_call") else { return };
    let subject = super::subjects::spec("ty: f32, params: { k: f32 }, map: |x| x * k, op: sum");
    let reducer = Reducer::new(&subject, &device).unwrap();
    let stream = new_stream();
    let x = stream.clone_htod(&[1.0f32; 100]).unwrap();
    let inputs = [DeviceInput::on_stream(&stream, &x)];
    let mut workspace = reducer.workspace(&stream, 100).unwrap();
    for k in [2.0f32, 3.0] {
        reducer.enqueue(&stream, &inputs, &[Value::of(k)], &mut workspace).unwrap();
        assert_eq!(workspace.read(&stream).unwrap(), [Value::of(100.0 * k)]);
    }
    let none = reducer.enqueue(&stream, &inputs, &[], &mut workspace).unwrap_err();
    assert!(matches!(none, Error::ParamCount { .. }), "{none}");
}

/// With two GPUs, each thread uses one. A workspace of one GPU is refused by the other.
#[test]
fn two_devices_work_side_by_side() {
    let Some(device) = gpu("two_devices_work_side_by_side") else { return };
    let second = match Device::cuda(1) {
        Ok(second) => second,
        Err(error) => return skipped("two_devices_work_side_by_side", error),
    };
    let x = elements();
    let expected = SUM.reduce(&x).unwrap();
    let run = |device: &Device, ordinal: usize| {
        let sum = SUM.compile(device).unwrap();
        let stream = CudaContext::new(ordinal).unwrap().new_stream().unwrap();
        let slice = stream.clone_htod(&x).unwrap();
        let mut workspace = workspace(&sum, &stream);
        for _ in 0..100 {
            sum.enqueue(&stream, &DeviceInputs::new(&stream, &slice), &mut workspace).unwrap();
            assert_eq!(sum.read(&stream, &workspace).unwrap(), expected);
        }
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(|| run(&device, 0)), scope.spawn(|| run(&second, 1))];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    let (sum, stream) = (SUM.compile(&device).unwrap(), CudaContext::new(1).unwrap().new_stream().unwrap());
    assert!(matches!(sum.workspace(&stream, 1), Err(Error::StreamOfOtherContext { .. })));
}
