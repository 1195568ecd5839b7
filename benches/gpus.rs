//! Times a sum on several GPUs with 2^30 elements each, compared with a sum on one GPU. Also times the merge, and a stream of elements
//! through one GPU.
//!
//! ```sh
//! cargo bench --features text --bench gpus
//! ```
//!
//! Each cell is the minimum of many calls, in microseconds. The bits of every line are compared with those of one GPU.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be taken fails by panicking")]

use reducegen::cudarc::driver::{CudaContext, CudaSlice};
use reducegen::{Compiled, Device, Partials, Span, reduction};
use std::hint::black_box;
use std::io::Read;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// The number of elements on each GPU.
const EACH: usize = 1 << 30;
const ROUNDS: usize = 50;

fn main() {
    let devices = match Device::cuda_all() {
        Ok(devices) => devices,
        Err(error) => return println!("gpus: skipped, {error}"),
    };
    let sum = reduction! { op: sum, ty: f32 };
    let chunk: Vec<f32> = (0..1 << 26).map(|at| 1.0 / (1.0 + (at % 1_000_003) as f32)).collect();
    let gpu = |(at, device): (usize, &Device)| {
        let stream = CudaContext::new(at).unwrap().default_stream();
        let mut data = stream.alloc_zeros::<f32>(EACH).unwrap();
        for first in (0..EACH).step_by(chunk.len()) {
            stream.memcpy_htod(&chunk, &mut data.slice_mut(first..first + chunk.len())).unwrap();
        }
        stream.synchronize().unwrap();
        (sum.compile(device).unwrap(), data)
    };
    let gpus: Vec<_> = devices.iter().enumerate().map(gpu).collect();
    let one = least(|| gpus[0].0.reduce_device(&gpus[0].1).unwrap());
    println!("one GPU, one call {:>10.1}", micros(one));
    for count in (0..).map(|power| 1 << power).take_while(|&count| count <= gpus.len()) {
        let (time, parts) = on(&gpus[..count]);
        let merge = least(|| sum.merge(&parts).unwrap());
        println!(
            "{count} GPUs: partials {:>10.1}, merge {:>8.1}, bits {:08x}",
            micros(time),
            micros(merge),
            sum.merge(&parts).unwrap().to_bits()
        );
    }
    let bytes: Vec<u8> = chunk.iter().flat_map(|it| it.to_ne_bytes()).collect();
    let rate = |time: Duration| (PASSES * bytes.len()) as f64 / time.as_nanos() as f64;
    let streamed = least_of(5, || {
        let reader = Passes { bytes: &bytes, at: 0 };
        let total = PASSES * chunk.len();
        gpus[0].0.reducer().reduce_readers(vec![Box::new(reader)], Some(total as u64), &[]).unwrap()
    });
    let stream = CudaContext::new(0).unwrap().default_stream();
    let mut copy = stream.alloc_zeros::<u8>(bytes.len()).unwrap();
    let copied = least_of(5, || {
        for _ in 0..PASSES {
            stream.memcpy_htod(&bytes, &mut copy).unwrap();
        }
        stream.synchronize().unwrap();
    });
    println!("from pageable memory, GB/s: streamed {:.2}, a plain copy {:.2}", rate(streamed), rate(copied));
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

type Gpu = (Compiled<f32, f32>, CudaSlice<f32>);

/// Returns the minimum time in which all GPUs have their partials, and these.
fn on(gpus: &[Gpu]) -> (Duration, Vec<Partials>) {
    let total = (gpus.len() * EACH) as u64;
    let barrier = Barrier::new(gpus.len() + 1);
    let part = |at: usize| {
        let span = Span { first: (at * EACH) as u64, total };
        gpus[at].0.partials_device(&gpus[at].1, span).unwrap()
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
