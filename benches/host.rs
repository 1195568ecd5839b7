//! The host backend compared with plain loops, `ndarray`, rayon, NumPy and a pure read of the same memory, in one run.
//!
//! ```sh
//! cargo bench --bench host -- [--axes] [--mib 256] [--rounds 9] [--json FILE]
//! ```
//!
//! With `--axes`: rows and columns of matrices.
//!
//! NumPy takes part if `python3`, or the interpreter that REDUCEGEN_PYTHON names, can import it. Contestants take turns, so
//! that other load on the machine affects all of them. A ratio is the median over the rounds of the ratio of two times of
//! one round. One thread is timed by its processor time, several threads by wall-clock time.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot be taken fails by panicking")]

#[path = "host/axes.rs"]
mod axes;
#[path = "host/contestants.rs"]
mod contestants;
#[path = "host/number.rs"]
mod number;
#[path = "host/numpy.rs"]
mod numpy;
#[path = "host/report.rs"]
mod report;
#[path = "../tests/support/splitmix.rs"]
mod splitmix;

use contestants::{Clock, Contestant, contestants};
use memmap2::MmapMut;
use number::{Number, Op};
use numpy::Numpy;
use rayon::ThreadPool;
use reduce_ir::{Value, f16};
use reduce_runtime::{Device, Reducer};
use report::{Cell, Report};
use splitmix::Random;
use std::time::Duration;

/// A cell ends after this time and at least three rounds, even if rounds are left.
const LONGEST: Duration = Duration::from_secs(6);

fn main() {
    let number = |name: &str, default| argument(name).map_or(default, |text| text.parse().unwrap());
    let (bytes, rounds) = (number("--mib", 256) << 20, number("--rounds", 9));
    let (mut report, pools) = (Report::default(), pools());
    if std::env::args().any(|argument| argument == "--axes") {
        axes::run::<f32>(rounds, &pools, &mut report);
        axes::run::<f64>(rounds, &pools, &mut report);
        axes::run::<i32>(rounds, &pools, &mut report);
        axes::run::<f16>(rounds, &pools, &mut report);
    } else {
        run::<f32>(bytes, rounds, &pools, &mut report);
        run::<f64>(bytes, rounds, &pools, &mut report);
        run::<i32>(bytes, rounds, &pools, &mut report);
        run::<f16>(bytes, rounds, &pools, &mut report);
    }
    report.summary();
    if let Some(file) = argument("--json") {
        std::fs::write(file, report.json()).unwrap();
    }
}

/// Returns the argument that follows `name`.
fn argument(name: &str) -> Option<String> {
    std::env::args().skip_while(|arg| arg != name).nth(1)
}

/// Creates two pools: one of the main thread only, like the peers without a pool, and one of all threads.
fn pools() -> [ThreadPool; 2] {
    let threads = |count| rayon::ThreadPoolBuilder::new().num_threads(count);
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    [threads(1).use_current_thread(), threads(all)].map(|pool| pool.build().unwrap())
}

/// Measures every operator on elements of one type.
fn run<T: Number>(bytes: usize, rounds: usize, pools: &[ThreadPool], report: &mut Report) {
    let memory = filled::<T>(bytes);
    let data: &[T] = bytemuck::cast_slice(&memory);
    let mut numpy = Numpy::start(data);
    for op in Op::ALL {
        let spec = reduce_dsl::parse::text(&format!("op: {op}, ty: {}", T::TY), None).unwrap().spec;
        let reducer = Reducer::new(&spec, &Device::host()).unwrap();
        check(op, &reducer, data, pools);
        for pool in pools {
            let mut racing = contestants(op, &reducer, data, pool);
            let clock = Clock::of(pool.current_num_threads());
            racing.extend(numpy.as_mut().map(|numpy| numpy.contestant(&op.to_string(), clock)));
            let threads = pool.current_num_threads();
            report.add(Cell::new(op.to_string(), T::TY, threads, bytes, race(racing, rounds)));
        }
    }
}

/// Returns memory with random elements.
fn filled<T: Number>(bytes: usize) -> MmapMut {
    let mut random = Random::new(1);
    let mut memory = huge(bytes);
    let elements: &mut [T] = bytemuck::cast_slice_mut(&mut memory);
    elements.iter_mut().for_each(|x| *x = T::of(random.unit()));
    memory
}

/// Allocates memory in huge pages where the system has them, as NumPy requests. Then every contestant reads at one speed.
fn huge(bytes: usize) -> MmapMut {
    let memory = MmapMut::map_anon(bytes).unwrap();
    #[cfg(target_os = "linux")]
    if let Err(error) = memory.advise(memmap2::Advice::HugePage) {
        println!("in pages of the usual size: {error}");
    }
    memory
}

/// Returns the times of every contestant in every round.
fn race(mut racing: Vec<Contestant<'_>>, rounds: usize) -> Vec<(&'static str, Vec<Duration>)> {
    let mut times: Vec<_> = racing.iter().map(|it| (it.name, Vec::new())).collect();
    let mut spent = Duration::ZERO;
    for round in 0..=rounds {
        for at in 0..racing.len() {
            let at = (at + round) % racing.len();
            let time = (racing[at].run)();
            spent += time;
            // The first round warms up caches and pools.
            times[at].1.extend((round > 0).then_some(time));
        }
        if round >= 3 && spent > LONGEST {
            break;
        }
    }
    times
}

/// Checks that short inputs have the bits of the reference association, and that all data has the same bits with any number
/// of threads.
fn check<T: Number>(op: Op, reducer: &Reducer, data: &[T], pools: &[ThreadPool]) {
    let reduce = |data: &[T], pool: &ThreadPool| -> Vec<Value> {
        pool.install(|| reducer.reduce(&[T::lanes(data)]).unwrap().values)
    };
    for n in [1, 1000, 70_001, (1 << 20) + 12_345] {
        let data = &data[..n.min(data.len())];
        let association = reducer.programs().for_len(data.len() as u64).association();
        let expected = op.reference(data, &association);
        pools.iter().for_each(|pool| assert_eq!(reduce(data, pool), [expected], "{op} of {n} {}", T::TY));
    }
    let expected = reduce(data, &pools[0]);
    pools.iter().for_each(|pool| assert_eq!(reduce(data, pool), expected, "{op} of all {}", T::TY));
}
