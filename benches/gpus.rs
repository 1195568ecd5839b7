//! Times sums on several GPUs, compared with one GPU that has as many elements as each of them. Also times elements of host memory that
//! stream through one GPU.
//!
//! ```sh
//! cargo bench --features text --bench gpus [-- PLOT.svg]
//! ```
//!
//! Each time is the minimum of many calls, in microseconds. The bits of several GPUs are compared with those of one GPU that reduces all
//! parts in turn.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be taken fails by panicking")]

#[path = "peers/chart.rs"]
mod chart;

use chart::Line;
use reducegen::cudarc::driver::{CudaContext, CudaSlice, DeviceRepr, ValidAsZeroBits};
use reducegen::{Compiled, Device, Partials, Reduction, Span, reduction};
use std::hint::black_box;
use std::io::Read;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

static SUM: Reduction<f32, f32> = reduction! { op: sum, ty: f32 };

/// The binary logarithms of the numbers of elements on each GPU.
const POWERS: [u32; 5] = [22, 24, 26, 28, 30];
/// The most of them.
const MOST: usize = 1 << 30;
const ROUNDS: usize = 50;

fn main() {
    let devices = match Device::cuda_all() {
        Ok(devices) => devices,
        Err(error) => return println!("gpus: skipped, {error}"),
    };
    let chunk: Vec<f32> = (0..1 << 26).map(|at| 1.0 / (1.0 + (at % 1_000_003) as f32)).collect();
    let gpus: Vec<_> = devices.iter().enumerate().map(|gpu| with_elements(gpu, &chunk)).collect();
    let lines = scaling(&gpus);
    if let Some(path) = std::env::args().skip(1).find(|argument| argument.ends_with(".svg")) {
        let title = "Time of several GPUs / time of one GPU with as many elements as each";
        let footer = format!("on each GPU; {}", devices[0].description());
        std::fs::write(path, chart::chart(title, &footer, &lines, |_| String::new())).unwrap();
    }
    streams(&gpus[0], &chunk);
}

type Gpu = (Compiled<f32, f32>, CudaSlice<f32>);

/// Returns a GPU with the most elements.
fn with_elements((at, device): (usize, &Device), chunk: &[f32]) -> Gpu {
    let stream = CudaContext::new(at).unwrap().default_stream();
    let mut data = stream.alloc_zeros::<f32>(MOST).unwrap();
    for first in (0..MOST).step_by(chunk.len()) {
        stream.memcpy_htod(chunk, &mut data.slice_mut(first..first + chunk.len())).unwrap();
    }
    stream.synchronize().unwrap();
    (SUM.compile(device).unwrap(), data)
}

/// Prints the times for each number of elements, and returns a line of the plot for each count of GPUs.
fn scaling(gpus: &[Gpu]) -> Vec<Line<'static>> {
    let counts = || [(1, "partials of 1"), (2, "2 GPUs"), (4, "4 GPUs"), (8, "8 GPUs")].into_iter();
    let mut lines: Vec<_> = counts().map(|(_, name)| Line { name, points: Vec::new() }).collect();
    for power in POWERS {
        let each = 1 << power;
        let part = gpus[0].1.slice(..each);
        let one = least(|| gpus[0].0.reduce_device(&part).unwrap());
        println!("2^{power} on each; one GPU, one call {:>10.1}", micros(one));
        for ((count, _), line) in counts().zip(&mut lines).filter(|((count, _), _)| *count <= gpus.len()) {
            let (time, parts) = on(&gpus[..count], each);
            let merge = least(|| SUM.merge(&parts).unwrap());
            let (time, merge) = (micros(time), micros(merge));
            let bits = SUM.merge(&parts).unwrap().to_bits();
            assert_eq!(bits, SUM.merge(&in_turn(&gpus[0], count, each)).unwrap().to_bits());
            println!("  {count} GPUs: partials {time:>10.1}, merge {merge:>8.1}, bits {bits:08x}");
            line.points.push((f64::from(power), (time + merge) / micros(one)));
        }
    }
    lines.retain(|line| !line.points.is_empty());
    lines
}

/// Returns the partials that one GPU makes of all parts, one after the other.
fn in_turn(gpu: &Gpu, count: usize, each: usize) -> Vec<Partials> {
    let total = (count * each) as u64;
    let span = |at: usize| Span { first: (at * each) as u64, total };
    (0..count).map(|at| gpu.0.partials_device(&gpu.1.slice(..each), span(at)).unwrap()).collect()
}

/// Prints the rates of elements of host memory, compared with those of plain copies.
fn streams(gpu: &Gpu, chunk: &[f32]) {
    let bytes: Vec<u8> = chunk.iter().flat_map(|it| it.to_ne_bytes()).collect();
    let rate = |time: Duration| (PASSES * bytes.len()) as f64 / time.as_nanos() as f64;
    let streamed = least_of(5, || {
        let reader = Passes { bytes: &bytes, at: 0 };
        let total = PASSES * chunk.len();
        gpu.0.reducer().reduce_readers(vec![Box::new(reader)], Some(total as u64), &[]).unwrap()
    });
    let (streamed, copied) = (rate(streamed), rate(least_of(5, || copies(&bytes))));
    println!("a reader of pageable memory, GB/s: {streamed:.2}, a plain copy {copied:.2}");
    let call = |elements: &[f32]| black_box(gpu.0.reduce(elements).unwrap());
    let calls = |elements: &[f32]| least_of(5, || (0..PASSES).for_each(|_| _ = call(elements)));
    println!("calls on pageable memory, GB/s: {:.2}, a plain copy {copied:.2}", rate(calls(chunk)));
    let context = CudaContext::new(0).unwrap();
    // SAFETY: every element is written before it is read.
    let mut pinned = unsafe { context.alloc_pinned::<f32>(chunk.len()) }.unwrap();
    let pinned = pinned.as_mut_slice().unwrap();
    pinned.copy_from_slice(chunk);
    let copied = least_of(5, || copies(pinned));
    println!("calls on pinned memory, GB/s: {:.2}, a plain copy {:.2}", rate(calls(pinned)), rate(copied));
}

/// Copies elements to a GPU several times.
fn copies<T: DeviceRepr + ValidAsZeroBits>(elements: &[T]) {
    let stream = CudaContext::new(0).unwrap().default_stream();
    let mut copy = stream.alloc_zeros::<T>(elements.len()).unwrap();
    (0..PASSES).for_each(|_| stream.memcpy_htod(elements, &mut copy).unwrap());
    stream.synchronize().unwrap();
}

/// The number of times that the stream reads the same bytes.
const PASSES: usize = 8;

/// Reads bytes several times.
struct Passes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Read for Passes<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let from = self.at % self.bytes.len();
        let len = to.len().min(self.bytes.len() - from);
        to[..len].copy_from_slice(&self.bytes[from..from + len]);
        self.at += len;
        Ok(len)
    }
}

/// Returns the minimum time in which all GPUs have their partials, and these.
fn on(gpus: &[Gpu], each: usize) -> (Duration, Vec<Partials>) {
    let total = (gpus.len() * each) as u64;
    let barrier = Barrier::new(gpus.len() + 1);
    let part = |at: usize| {
        let span = Span { first: (at * each) as u64, total };
        gpus[at].0.partials_device(&gpus[at].1.slice(..each), span).unwrap()
    };
    let work = |at: usize| {
        (0..ROUNDS)
            .map(|_| {
                barrier.wait();
                let part = part(at);
                barrier.wait();
                part
            })
            .last()
            .unwrap()
    };
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..gpus.len()).map(|at| scope.spawn(move || work(at))).collect();
        let mut least = Duration::MAX;
        for _ in 0..ROUNDS {
            barrier.wait();
            let start = Instant::now();
            barrier.wait();
            least = least.min(start.elapsed());
        }
        (least, threads.into_iter().map(|thread| thread.join().unwrap()).collect())
    })
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn least<T>(call: impl FnMut() -> T) -> Duration {
    least_of(ROUNDS, call)
}

fn least_of<T>(rounds: usize, mut call: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        black_box(call());
        start.elapsed()
    };
    (0..rounds).map(time).min().unwrap_or_default()
}
