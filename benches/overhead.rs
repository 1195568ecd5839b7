//! The host's time of a call, and the time of the first call in a new process. `scripts/overhead.sh` compares it with plain
//! CUDA and CuPy.
//!
//! Each output line is a name, a tab, and microseconds. The host's time of a call is the mean of 10,000 calls. They are
//! queued in rounds that end with a synchronization, so that no call waits for room in a queue. A time from the start of a
//! process is the median of several new processes; the files of NVRTC and the driver are in the operating system's file
//! cache.

use reducegen::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use reducegen::{Compiled, Device, DeviceInputs, Output, Reduction, Target, reduction};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

static SUM: Reduction<f32, f32> = reduction! { op: sum, ty: f32 };
/// The reduction whose programs take the longest to compile.
static ARGMAX: Reduction<f32, u64> = reduction! { op: argmax, ty: f32 };

/// Numbers of elements: for one block, for a cluster, for many blocks.
const SIZES: [u64; 3] = [1 << 12, 1 << 16, 1 << 20];
const ROUNDS: u32 = 20;
const CALLS: u32 = 500;
/// The number of new processes for each median.
const PROCESSES: usize = 7;

fn main() -> Outcome<()> {
    // `cargo bench` and `cargo test` add options of their own.
    let mode = std::env::args().nth(1).filter(|mode| !mode.starts_with('-'));
    match mode.as_deref() {
        None => all(),
        Some("first") => first("first result", &SUM, 0.0),
        Some("argmax") => first("first result of argmax", &ARGMAX, 0),
        Some("steps") => steps(),
        Some(other) => {
            Err(format!("unknown mode `{other}`; write `first`, `argmax`, `steps` or nothing").into())
        }
    }
}

fn all() -> Outcome<()> {
    if let Err(error) = Device::cuda(0) {
        println!("overhead: skipped, {error}");
        return Ok(());
    }
    calls()?;
    let folder = std::env::temp_dir().join(format!("reducegen-overhead-{}", std::process::id()));
    let measured = first_calls(&folder);
    let _ = std::fs::remove_dir_all(folder);
    measured
}

fn print(what: &str, time: Duration) {
    println!("{what}\t{:.2}", time.as_secs_f64() * 1e6);
}

/// Measures the host's time of queued calls, and of synchronous calls.
fn calls() -> Outcome<()> {
    let sum = SUM.compile(&Device::cuda(0)?)?;
    sum.reducer().prepare_all()?;
    let stream = CudaContext::new(0)?.new_stream()?;
    for n in SIZES {
        let x: CudaSlice<f32> = stream.alloc_zeros(n as usize)?;
        let inputs = DeviceInputs::new(&stream, &x);
        let alone = queued(&sum, &stream, &inputs, n)?;
        print(&format!("call that is queued and records its read, 2^{}", n.ilog2()), alone);
        let scoped = inputs.scope(|inputs| queued(&sum, &stream, inputs, n))??;
        print(&format!("call that is queued, 2^{}", n.ilog2()), scoped);
        let mut workspace = sum.workspace(&stream, n)?;
        let inputs = DeviceInputs::new(&stream, &x);
        let waited = mean(CALLS, || {
            sum.enqueue(&stream, &inputs, &mut workspace)?;
            sum.read(&stream, &workspace).map(|_| ())
        })?;
        print(&format!("call that is queued, then read, 2^{}", n.ilog2()), waited);
        let blocking = mean(CALLS, || sum.reduce_device(&x).map(|_| ()))?;
        print(&format!("call that is waited for, 2^{}", n.ilog2()), blocking);
    }
    Ok(())
}

fn queued(
    sum: &Compiled<f32, f32>,
    stream: &Arc<CudaStream>,
    inputs: &DeviceInputs<'_, f32>,
    n: u64,
) -> Outcome<Duration> {
    let mut workspace = sum.workspace(stream, n)?;
    let mut time = Duration::ZERO;
    for round in 0..=ROUNDS {
        let once = mean(CALLS, || sum.enqueue(stream, inputs, &mut workspace))?;
        stream.synchronize()?;
        // The first round warms up.
        time += if round == 0 { Duration::ZERO } else { once };
    }
    Ok(time / ROUNDS)
}

/// Returns the mean time of `calls` calls in a row.
fn mean(calls: u32, mut call: impl FnMut() -> Result<(), reducegen::Error>) -> Outcome<Duration> {
    let start = Instant::now();
    (0..calls).try_for_each(|_| call())?;
    Ok(start.elapsed() / calls)
}

/// Measures the first call of processes with an empty cache, and of processes that find the kernels on disk.
fn first_calls(folder: &Path) -> Outcome<()> {
    let cold: Vec<_> = (0..PROCESSES).map(|turn| folder.join(turn.to_string())).collect();
    let warm = vec![folder.join("0"); PROCESSES];
    for mode in ["first", "argmax", "steps"] {
        for (caches, with) in [(&cold, "nothing cached"), (&warm, "the cache on disk")] {
            let caches: Vec<_> = caches.iter().map(|folder| folder.join(mode)).collect();
            for (what, time) in medians(mode, &caches)? {
                println!("{what}, {with}\t{time:.2}");
            }
        }
    }
    Ok(())
}

/// Returns the median of each line that processes print in this mode. Each process uses one of the caches.
fn medians(mode: &str, caches: &[PathBuf]) -> Outcome<Vec<(String, f64)>> {
    let mut runs = Vec::new();
    for cache in caches {
        let mut command = Command::new(std::env::current_exe()?);
        let output =
            command.arg(mode).env("REDUCEGEN_CACHE_DIR", cache).env_remove("REDUCEGEN_CACHE").output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let lines = String::from_utf8(output.stdout)?;
        let line = |line: &str| {
            let (what, time) = line.split_once('\t').ok_or("a line without a tab")?;
            Ok((what.to_owned(), time.parse()?))
        };
        runs.push(lines.lines().map(line).collect::<Outcome<Vec<(String, f64)>>>()?);
    }
    let of_line = |place: usize| {
        let mut times: Vec<_> = runs.iter().map(|run| run[place].1).collect();
        times.sort_by(f64::total_cmp);
        (runs[0][place].0.clone(), times[times.len() / 2])
    };
    Ok((0..runs[0].len()).map(of_line).collect())
}

/// Measures from an initialized CUDA to the first result, as user code would run.
fn first<Out: Output + PartialEq>(what: &str, reduction: &Reduction<f32, Out>, of_zeros: Out) -> Outcome<()> {
    let (stream, x) = started()?;
    let start = Instant::now();
    let compiled = reduction.compile(&Device::from_context(stream.context().clone())?)?;
    let result = compiled.reduce_device(&x)?;
    print(what, start.elapsed());
    if result == of_zeros { Ok(()) } else { Err(format!("{what} is wrong").into()) }
}

/// Measures the same in steps.
fn steps() -> Outcome<()> {
    let start = Instant::now();
    let (stream, x) = started()?;
    print("step: start of CUDA", start.elapsed());
    let mut last = Instant::now();
    let mut step = |what: &str| {
        print(&format!("step: {what}"), last.elapsed());
        last = Instant::now();
    };
    let device = Device::from_context(stream.context().clone())?;
    step("what NVRTC is");
    let sum = SUM.compile(&device)?;
    step("programs");
    let (compiler, architecture) = device.compiler().zip(device.architecture()).ok_or("it is a GPU")?;
    let target: Target = compiler.target(architecture)?;
    compiler.image(sum.reducer().programs().for_len(x.len() as u64), target)?;
    step("image, compiled or found");
    sum.reducer().prepare(x.len() as u64)?;
    step("image found again, and loaded");
    let mut workspace = sum.workspace(&stream, x.len() as u64)?;
    step("workspace");
    sum.enqueue(&stream, &DeviceInputs::new(&stream, &x), &mut workspace)?;
    step("first launch");
    sum.read(&stream, &workspace)?;
    step("first read");
    Ok(())
}

/// Initializes CUDA, with a stream and memory in use.
fn started() -> Outcome<(Arc<CudaStream>, CudaSlice<f32>)> {
    let stream = CudaContext::new(0)?.new_stream()?;
    let x = stream.alloc_zeros(1 << 20)?;
    stream.synchronize()?;
    Ok((stream, x))
}
