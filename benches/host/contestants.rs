//! The contestants, and their number of threads.

use crate::number::{Number, Op};
use cpu_time::ProcessTime;
use rayon::ThreadPool;
use rayon::prelude::*;
use reduce_runtime::Reducer;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A contestant that reduces the data and returns the time that it took.
pub(crate) struct Contestant<'a> {
    pub(crate) name: &'static str,
    pub(crate) run: Box<dyn FnMut() -> Duration + 'a>,
}

/// The name of our contestant.
pub(crate) const OURS: &str = "reducegen";

/// The name of the pure read.
pub(crate) const READ: &str = "read";

/// Returns all contestants of a thread pool, except NumPy. Single-threaded peers also run where we use all threads.
pub(crate) fn contestants<'a, T: Number>(
    op: Op,
    reducer: &'a Reducer,
    data: &'a [T],
    pool: &'a ThreadPool,
) -> Vec<Contestant<'a>> {
    let ours = move || {
        black_box(pool.install(|| reducer.reduce(&[T::lanes(data)]).unwrap()));
    };
    let read = move || {
        let parts = || data.par_chunks(1 << 17).map(read).reduce(|| 0, |a, b| a | b);
        black_box(pool.install(parts));
    };
    let clock = Clock::of(pool.current_num_threads());
    let timed = |name, run: Box<dyn FnMut() + 'a>| clock.timed(name, run);
    vec![
        timed(OURS, Box::new(ours)),
        timed(READ, Box::new(read)),
        timed("iter", Box::new(move || T::plain(op, data))),
        timed("ndarray", Box::new(move || T::ndarray(op, data))),
        timed("rayon", Box::new(move || pool.install(|| T::rayon(op, data)))),
    ]
}

/// The clock of a measurement. Processor time excludes the time that other processes take from one thread. Several threads
/// are measured by wall-clock time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    Processor,
    Wall,
}

impl Clock {
    pub(crate) fn of(threads: usize) -> Clock {
        if threads == 1 { Clock::Processor } else { Clock::Wall }
    }

    pub(crate) fn timed<'a>(self, name: &'static str, mut run: Box<dyn FnMut() + 'a>) -> Contestant<'a> {
        let run = move || {
            let (processor, wall) = (ProcessTime::now(), Instant::now());
            run();
            match self {
                Clock::Processor => processor.elapsed(),
                Clock::Wall => wall.elapsed(),
            }
        };
        Contestant { name, run: Box::new(run) }
    }
}

/// Reads every element, with as little computation as possible.
fn read<T: Number>(data: &[T]) -> u64 {
    let words = bytemuck::pod_align_to::<T, u64>(data).1;
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn with_avx2(words: &[u64]) -> u64 {
        or_all(words)
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { with_avx2(words) };
    }
    or_all(words)
}

/// Combines all words with `or`, one cache line after another. For more than a line at a time compilers reverse the order,
/// and some processors then read a quarter slower.
#[inline(always)]
fn or_all(words: &[u64]) -> u64 {
    let mut lanes = [0; 8];
    for line in words.as_chunks::<8>().0 {
        lanes.iter_mut().zip(line).for_each(|(lane, word)| *lane |= word);
    }
    lanes.iter().fold(0, |all, lane| all | lane)
}
