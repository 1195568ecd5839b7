//! The time of calls with offsets or keys on few elements, on a stream and in a CUDA graph: see benches/ragged_small.py.

use super::device::gpu_alone;
use super::skip::skipped;
use super::splitmix::Random;
use reduce_runtime::cudarc::driver::{CudaContext, CudaStream, sys};
use reduce_runtime::{Device, DeviceInput, Error, Reducer, View};
use std::sync::Arc;

const CALLS: usize = 100;
const ROUNDS: usize = 9;

/// Returns the microseconds of a call, of which `run` makes `CALLS`.
fn median(stream: &Arc<CudaStream>, mut run: impl FnMut()) -> f32 {
    let events =
        [(); 2].map(|()| stream.context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap());
    let mut times: Vec<f32> = (0..ROUNDS)
        .map(|_| {
            stream.synchronize().unwrap();
            events[0].record(stream).unwrap();
            run();
            events[1].record(stream).unwrap();
            1e3 * events[0].elapsed_ms(&events[1]).unwrap() / CALLS as f32
        })
        .collect();
    times.sort_by(f32::total_cmp);
    times[ROUNDS / 2]
}

/// Prints the time of `safe` calls on a stream, and of `captured` ones in a graph.
fn print(
    stream: &Arc<CudaStream>,
    name: &str,
    mut safe: impl FnMut() -> Result<(), Error>,
    mut captured: impl FnMut() -> Result<(), Error>,
) {
    let on_stream = median(stream, || (0..CALLS).try_for_each(|_| safe()).unwrap());
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    (0..CALLS).try_for_each(|_| captured()).unwrap();
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).unwrap().unwrap();
    let in_graph = median(stream, || graph.launch().unwrap());
    println!("{name}: {on_stream:.1} us on a stream, {in_graph:.1} us in a graph");
}

fn reducer(text: &str, device: &Device) -> Reducer {
    Reducer::new(&reduce_dsl::parse::spec(text).unwrap(), device).unwrap()
}

#[test]
fn small_calls_are_fast() {
    let test = "small_calls_are_fast";
    if std::env::var_os("REDUCEGEN_SMALL").is_none() {
        return skipped(test, "REDUCEGEN_SMALL is not set");
    }
    let Some(device) = gpu_alone(test) else { return };
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let rows = reducer("op: sum, ty: f32, segments: u32", &device);
    let runs = reducer("op: sum, ty: f32, by: { k: u32 }, groups: runs", &device);
    let counts = reducer("ty: u32, by: |x| x, map: |x| 1u32, op: sum, acc: u32, groups: 64", &device);
    let sums = reducer("op: sum, ty: f32, by: { k: u32 }, groups: 64", &device);
    let mut random = Random::new(1);
    for log in [12, 16, 20] {
        let n = 1usize << log;
        let mut cut = vec![0u32];
        while cut[cut.len() - 1] < n as u32 {
            cut.push((cut[cut.len() - 1] + random.below(33) as u32).min(n as u32));
        }
        let of_runs: Vec<u32> = (0..n)
            .scan(0, |key, _| {
                Some({
                    *key += u32::from(random.below(64) == 0);
                    *key
                })
            })
            .collect();
        let keys: Vec<u32> = (0..n).map(|_| random.below(64) as u32).collect();
        let x = stream.clone_htod(&vec![1.0f32; n]).unwrap();
        let (cut, of_runs, keys) = (
            stream.clone_htod(&cut).unwrap(),
            stream.clone_htod(&of_runs).unwrap(),
            stream.clone_htod(&keys).unwrap(),
        );
        let (x, cut) = (DeviceInput::on_stream(&stream, &x), DeviceInput::on_stream(&stream, &cut));
        let (of_runs, keys) =
            (DeviceInput::on_stream(&stream, &of_runs), DeviceInput::on_stream(&stream, &keys));
        let (line, of_keys) = ([View::new(&x, [n])], [View::new(&keys, [n])]);
        // The borrow of the results changes sides between the two closures.
        let into = std::cell::RefCell::new(rows.reduce_segments_device(&line, &cut, &[]).unwrap());
        // SAFETY: all memory of the calls lives as long as the graph.
        let captured = || unsafe { rows.reduce_segments_captured(&line, &cut, &[], &mut into.borrow_mut()) };
        let safe = || rows.reduce_segments_into(&line, &cut, &[], &mut into.borrow_mut());
        print(&stream, &format!("2^{log} segments, mean 16"), safe, captured);

        let into = std::cell::RefCell::new(runs.reduce_runs_device(&line, &of_runs, &[]).unwrap());
        // SAFETY: all memory of the calls lives as long as the graph.
        let captured = || unsafe { runs.reduce_runs_captured(&line, &of_runs, &[], &mut into.borrow_mut()) };
        let safe = || runs.reduce_runs_into(&line, &of_runs, &[], &mut into.borrow_mut());
        print(&stream, &format!("2^{log} runs, mean 64"), safe, captured);

        let cases = [("counts", &counts, &of_keys, None), ("sums", &sums, &line, Some(&keys))];
        for (name, reducer, views, keys) in cases {
            let into = std::cell::RefCell::new(reducer.reduce_keys_device(views, keys, &[]).unwrap());
            // SAFETY: all memory of the calls lives as long as the graph.
            let captured =
                || unsafe { reducer.reduce_keys_captured(views, keys, &[], &mut into.borrow_mut()) };
            let safe = || reducer.reduce_keys_into(views, keys, &[], &mut into.borrow_mut());
            print(&stream, &format!("2^{log} {name} of 64 keys"), safe, captured);
        }
    }
}
