//! Typed calls with offsets or keys on device memory, and CUDA graphs that replay such calls.

use super::device::{gpu, gpu_alone};
use reduce_ir::Value;
use reduce_lanes::LanesRef;
use reduce_runtime::cudarc::driver::{CudaContext, CudaGraph, CudaSlice, CudaStream, sys};
use reduce_runtime::{Array, Device, DeviceInput, Error, Keyed, Numbered, Ragged, Reducer, Reduction, View};
use std::sync::Arc;

const ROWS: Reduction<Ragged<f32, u32>, Array<f32>> =
    Reduction::new(|| Ok(reduce_dsl::parse::spec("op: sum, ty: f32, segments: u32").unwrap()));
const RUNS: Reduction<Keyed<f32, i64>, Array<f32>> =
    Reduction::new(|| Ok(reduce_dsl::parse::spec("op: sum, ty: f32, by: { k: i64 }, groups: runs").unwrap()));
const GROUPS: Reduction<Numbered<f32, u32>, Array<f32>> =
    Reduction::new(|| Ok(reduce_dsl::parse::spec("op: sum, ty: f32, by: { k: u32 }, groups: 9").unwrap()));
const SCALED: Reduction<Numbered<f32, u32>, Array<f32>, f32> = Reduction::new(|| {
    Ok(reduce_dsl::parse::spec(
        "ty: f32, params: { a: f32 }, map: |x| a * x, op: sum, by: { k: u32 }, groups: 9",
    )
    .unwrap())
});

/// A million is enough for several blocks of each kernel.
const N: usize = 1_000_003;

fn numbers(turn: usize) -> Vec<f32> {
    (0..N).map(|at| (at.wrapping_mul(2_654_435_761) % 10_007) as f32 * 0.37 + turn as f32).collect()
}

/// Lengths from none to some thousands.
fn offsets(turn: usize) -> Vec<u32> {
    let mut all = vec![0];
    let length = |at: usize| if at.is_multiple_of(97) { 4099 } else { at * (turn + 7) % 23 };
    all.extend((0..N / 100).scan(0, |end, at| {
        *end = (*end + length(at)).min(N);
        Some(*end as u32)
    }));
    all
}

fn run_keys(turn: usize) -> Vec<i64> {
    (0..N).map(|at| (at / (turn + 3)) as i64 - 1000).collect()
}

fn group_keys(turn: usize) -> Vec<u32> {
    (0..N).map(|at| (at * (turn + 5) % 9) as u32).collect()
}

#[test]
fn typed_calls_leave_results_on_the_device() {
    let Some(device) = gpu("typed_calls_leave_results_on_the_device") else { return };
    let stream = CudaContext::new(0).unwrap().default_stream();
    let host = numbers(0);
    let x = stream.clone_htod(&host).unwrap();

    let (cut, rows) = (offsets(0), ROWS.compile(&device).unwrap());
    let mut found = rows.reduce_segments_device(&x, &stream.clone_htod(&cut).unwrap()).unwrap();
    assert_eq!(found.read().unwrap(), ROWS.reduce_segments(&host, &cut).unwrap());
    let cut = offsets(1);
    let view = View::new(&x, [N]);
    rows.reduce_segments_device_into(view, &stream.clone_htod(&cut).unwrap(), &mut found).unwrap();
    assert_eq!(found.read().unwrap(), ROWS.reduce_segments(&host, &cut).unwrap());

    let (keys, runs) = (run_keys(0), RUNS.compile(&device).unwrap());
    let mut found = runs.reduce_runs_device(&x, &stream.clone_htod(&keys).unwrap()).unwrap();
    assert_eq!(found.read().unwrap(), RUNS.reduce_runs(&host, &keys).unwrap());
    let keys = run_keys(4);
    runs.reduce_runs_device_into(&x, &stream.clone_htod(&keys).unwrap(), &mut found).unwrap();
    assert_eq!(found.read().unwrap(), RUNS.reduce_runs(&host, &keys).unwrap());

    let (keys, groups) = (group_keys(0), GROUPS.compile(&device).unwrap());
    let mut found = groups.reduce_keys_device(&x, &stream.clone_htod(&keys).unwrap()).unwrap();
    assert_eq!(found.read().unwrap(), GROUPS.reduce_keys(&host, &keys).unwrap());
    let keys = group_keys(2);
    groups.reduce_keys_device_into(&x, &stream.clone_htod(&keys).unwrap(), &mut found).unwrap();
    assert_eq!(found.read().unwrap(), GROUPS.reduce_keys(&host, &keys).unwrap());

    let scaled = SCALED.compile(&device).unwrap();
    let mut found = scaled.with(2.5).reduce_keys_device(&x, &stream.clone_htod(&keys).unwrap()).unwrap();
    assert_eq!(found.read().unwrap(), SCALED.with(2.5).reduce_keys(&host, &keys).unwrap());
}

#[test]
fn keys_are_given_where_the_specification_asks_for_them() {
    let Some(device) = gpu("keys_are_given_where_the_specification_asks_for_them") else { return };
    let stream = CudaContext::new(0).unwrap().default_stream();
    let (x, keys) = (stream.clone_htod(&[1u32; 64]).unwrap(), stream.clone_htod(&[1u32; 64]).unwrap());
    let (x, keys) = (DeviceInput::new(&x), DeviceInput::new(&keys));
    let reducer = |text: &str| Reducer::new(&reduce_dsl::parse::spec(text).unwrap(), &device).unwrap();
    let error = |reducer: &Reducer, view: View<&DeviceInput<'_>>, keys: Option<&DeviceInput<'_>>| {
        reducer.reduce_keys_device(&[view], keys, &[]).unwrap_err().to_string()
    };
    let (given, computed) = (
        reducer("ty: u32, op: sum, by: { k: u32 }, groups: 4"),
        reducer("ty: u32, op: sum, by: |x| x, groups: 4"),
    );
    let line = View::new(&x, [64]);
    assert!(error(&given, line.clone(), None).contains("neither offsets nor keys"));
    assert!(error(&computed, line.clone(), Some(&keys)).contains("computes its keys"));
    let apart = View { steps: vec![2], ..View::new(&x, [32]) };
    assert!(error(&computed, apart, None).contains("side by side"));
    let mut sums = computed.reduce_keys_device(&[line], None, &[]).unwrap();
    assert_eq!(sums.read().unwrap().get(1), Some(vec![Value::of(64u32)]));
}

/// Captures three calls.
fn captured(stream: &Arc<CudaStream>, mut call: impl FnMut() -> Result<(), Error>) -> CudaGraph {
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    let queued = (0..3).try_for_each(|_| call());
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).unwrap().unwrap();
    queued.unwrap();
    graph
}

#[test]
fn a_graph_replays_segments() {
    let Some(device) = gpu_alone("a_graph_replays_segments") else { return };
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut x: CudaSlice<f32> = stream.alloc_zeros(N).unwrap();
    let mut cut = stream.clone_htod(&offsets(0)).unwrap();
    let rows = ROWS.compile(&device).unwrap();
    let mut found = rows.reduce_segments_device(&x, &cut).unwrap();
    let graph = {
        let (input, cut) = (DeviceInput::on_stream(&stream, &x), DeviceInput::on_stream(&stream, &cut));
        let (views, reducer, into) = ([View::new(&input, [N])], rows.reducer(), found.untyped());
        // SAFETY: all memory of the calls lives as long as the graph, which is replayed on the stream of the results.
        captured(&stream, || unsafe { reducer.reduce_segments_captured(&views, &cut, &[], into) })
    };
    for turn in 1..4 {
        let (host, offsets) = (numbers(turn), offsets(turn));
        stream.memcpy_htod(&host, &mut x).unwrap();
        stream.memcpy_htod(&offsets, &mut cut).unwrap();
        graph.launch().unwrap();
        assert_eq!(found.read().unwrap(), ROWS.reduce_segments(&host, &offsets).unwrap(), "turn {turn}");
    }
}

#[test]
fn a_graph_replays_runs() {
    let Some(device) = gpu_alone("a_graph_replays_runs") else { return };
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut x: CudaSlice<f32> = stream.alloc_zeros(N).unwrap();
    let mut keys: CudaSlice<i64> = stream.alloc_zeros(N).unwrap();
    let runs = RUNS.compile(&device).unwrap();
    let mut found = runs.reduce_runs_device(&x, &keys).unwrap();
    let graph = {
        let (input, keys) = (DeviceInput::on_stream(&stream, &x), DeviceInput::on_stream(&stream, &keys));
        let (views, reducer, into) = ([View::new(&input, [N])], runs.reducer(), found.untyped());
        // SAFETY: all memory of the calls lives as long as the graph, which is replayed on the stream of the results.
        captured(&stream, || unsafe { reducer.reduce_runs_captured(&views, &keys, &[], into) })
    };
    for turn in 1..4 {
        let (host, at) = (numbers(turn), run_keys(turn));
        stream.memcpy_htod(&host, &mut x).unwrap();
        stream.memcpy_htod(&at, &mut keys).unwrap();
        graph.launch().unwrap();
        assert_eq!(found.read().unwrap(), RUNS.reduce_runs(&host, &at).unwrap(), "turn {turn}");
    }
}

#[test]
fn a_graph_replays_groups_of_keys() {
    let Some(device) = gpu_alone("a_graph_replays_groups_of_keys") else { return };
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut x: CudaSlice<f32> = stream.alloc_zeros(N).unwrap();
    let mut keys: CudaSlice<u32> = stream.alloc_zeros(N).unwrap();
    let groups = GROUPS.compile(&device).unwrap();
    let mut found = groups.reduce_keys_device(&x, &keys).unwrap();
    let graph = {
        let (input, keys) = (DeviceInput::on_stream(&stream, &x), DeviceInput::on_stream(&stream, &keys));
        let (views, reducer, into) = ([View::new(&input, [N])], groups.reducer(), found.untyped());
        // SAFETY: all memory of the calls lives as long as the graph, which is replayed on the stream of the results.
        captured(&stream, || unsafe { reducer.reduce_keys_captured(&views, Some(&keys), &[], into) })
    };
    for turn in 1..4 {
        let (host, at) = (numbers(turn), group_keys(turn));
        stream.memcpy_htod(&host, &mut x).unwrap();
        stream.memcpy_htod(&at, &mut keys).unwrap();
        graph.launch().unwrap();
        assert_eq!(found.read().unwrap(), GROUPS.reduce_keys(&host, &at).unwrap(), "turn {turn}");
    }
}

/// Every kernel of segments, runs and keys, on few elements: compute-sanitizer runs them a hundred times slower.
#[test]
fn sanitized() {
    let Some(device) = gpu("sanitized") else { return };
    let n = 20_001;
    let x = &numbers(0)[..n];
    let view = || View::new(LanesRef::from(x), [n]);
    let both = |text: &str| {
        let spec = reduce_dsl::parse::spec(text).unwrap();
        [&*device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap())
    };
    // Results of groups without elements are numbers: a flag beside a number has padding, which initcheck reports when it is copied.
    for op in ["op: sum", "op: max, empty: 0.0", "op: argmax, empty: 0", "op: mean, empty: 0.0"] {
        let lengths = [0, 1, 7, 8, 9, 31, 33, 127, 129, 500, 0, 4097, 9001, 2];
        let cut: Vec<u32> = lengths.iter().fold(vec![3], |mut all, &length| {
            all.push(all[all.len() - 1] + length);
            all
        });
        let [found, wanted] = both(&format!("{op}, ty: f32, segments: u32"))
            .map(|reducer| reducer.reduce_segments(&[view()], cut.as_slice().into(), &[]).unwrap());
        assert_eq!(found, wanted, "segments of {op}");
        let keys: Vec<u64> = (0..n as u64).map(|at| at * at / 5000).collect();
        let [found, wanted] = both(&format!("{op}, ty: f32, by: {{ k: u64 }}, groups: runs"))
            .map(|reducer| reducer.reduce_runs(&[view()], keys.as_slice().into(), &[]).unwrap());
        assert_eq!(found, wanted, "runs of {op}");
        for groups in [10u32, 500, 15_000] {
            let keys: Vec<u32> = (0..n as u32).map(|at| at.wrapping_mul(2_654_435_761) % groups).collect();
            let keys = View::new(LanesRef::from(keys.as_slice()), [n]);
            let [found, wanted] = both(&format!("{op}, ty: f32, by: {{ k: u32 }}, groups: {groups}"))
                .map(|reducer| reducer.reduce_keys(&[view()], keys.clone(), &[]).unwrap());
            assert_eq!(found, wanted, "{groups} groups of {op}");
        }
    }
    let keys: Vec<u32> = (0..n as u32).map(|at| at % 3000).collect();
    let keys = View::new(LanesRef::from(keys.as_slice()), [n]);
    let [found, wanted] = both("ty: f32, map: |x| 1u64, op: sum, by: { k: u32 }, groups: 3000")
        .map(|reducer| reducer.reduce_keys(&[view()], keys.clone(), &[]).unwrap());
    assert_eq!(found, wanted, "counts");
}

#[test]
fn safe_calls_refuse_a_captured_stream() {
    let Some(device) = gpu_alone("safe_calls_refuse_a_captured_stream") else { return };
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let x: CudaSlice<f32> = stream.alloc_zeros(N).unwrap();
    let (cut, at) = (stream.clone_htod(&offsets(0)).unwrap(), stream.clone_htod(&group_keys(0)).unwrap());
    let keys = stream.clone_htod(&run_keys(0)).unwrap();
    let (rows, runs, groups) =
        (ROWS.compile(&device).unwrap(), RUNS.compile(&device).unwrap(), GROUPS.compile(&device).unwrap());
    let mut of_rows = rows.reduce_segments_device(&x, &cut).unwrap();
    let mut of_runs = runs.reduce_runs_device(&x, &keys).unwrap();
    let mut of_groups = groups.reduce_keys_device(&x, &at).unwrap();
    let input = DeviceInput::on_stream(&stream, &x);
    let [cut, keys, at] = [
        DeviceInput::on_stream(&stream, &cut),
        DeviceInput::on_stream(&stream, &keys),
        DeviceInput::on_stream(&stream, &at),
    ];
    let view = [View::new(&input, [N])];
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    let found = [
        rows.reducer().reduce_segments_into(&view, &cut, &[], of_rows.untyped()),
        runs.reducer().reduce_runs_into(&view, &keys, &[], of_runs.untyped()),
        groups.reducer().reduce_keys_into(&view, Some(&at), &[], of_groups.untyped()),
    ];
    stream.end_capture(sys::CUgraphInstantiate_flags(0)).unwrap();
    assert!(found.iter().all(Result::is_err), "{found:?}");
}
