//! From how many elements on a GPU is faster than the host for data in host memory, with the copy.

use super::device::gpu_alone;
use super::skip::skipped;
use reduce_ir::Scalar;
use reduce_lanes::Lanes;
use reduce_runtime::{Device, Reducer};
use std::time::Instant;

const SPECS: [&str; 8] = [
    "op: sum, ty: f32",
    "op: sum, ty: u8, acc: u64, map: |x| x as u64",
    "op: var, ty: f32",
    "op: argmax, ty: f64",
    "ty: f32, map: |x| x.exp(), op: sum",
    "ty: f64, map: |x| (x * 0.5).exp(), op: sum",
    "ty: f64, map: |x| ((x * 0.5).exp() + 1.0).ln(), op: sum",
    "op: logsumexp, ty: f32",
];

/// Returns the median of some calls, in microseconds.
fn median(reducer: &Reducer, lanes: &Lanes) -> f64 {
    reducer.reduce(&[lanes.borrow()]).unwrap();
    let mut times: Vec<f64> = (0..7)
        .map(|_| {
            let started = Instant::now();
            reducer.reduce(&[lanes.borrow()]).unwrap();
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[3]
}

#[test]
fn the_host_and_a_copy_to_the_gpu() {
    let test = "the_host_and_a_copy_to_the_gpu";
    if std::env::var_os("REDUCEGEN_BREAK_EVEN").is_none() {
        return skipped(test, "REDUCEGEN_BREAK_EVEN is not set");
    }
    let Some(device) = gpu_alone(test) else { return };
    println!("{} on the host, {}", Device::host().description(), device.description());
    for text in SPECS {
        let spec = reduce_dsl::parse::spec(text).unwrap();
        let [gpu, host] = [&*device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap());
        for log in [10, 14, 18, 20, 22, 24, 26] {
            let n = 1usize << log;
            let numbers = (0..n).map(|at| (at % 1013) as f64 / 1013.0);
            let ty = spec.operation.inputs[0].ty;
            let lanes = if ty == Scalar::F32 {
                Lanes::from(numbers.map(|x| x as f32).collect::<Vec<_>>())
            } else if ty == Scalar::U8 {
                Lanes::from(numbers.map(|x| (255.0 * x) as u8).collect::<Vec<_>>())
            } else {
                Lanes::from(numbers.collect::<Vec<_>>())
            };
            let (host, gpu) = (median(&host, &lanes), median(&gpu, &lanes));
            println!("{text}, 2^{log}: host {host:.1} us, GPU {gpu:.1} us, {:.2}", host / gpu);
        }
    }
}
