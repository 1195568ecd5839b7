//! Measures which prefetch strategy is fastest: once per process for each kind of loop and size of input.
//!
//! Processors differ by up to a factor of two, and a virtual machine hides its processor. The sample is the first large input of
//! a kind: memory of our own would lie in a cache after it was written. A probe reads 8 slices by each strategy, 32 in all, of 128
//! KiB or a chunk each. It takes about 1 ms and stops after 5 ms, and there are 8 kinds. A thread that meets a running probe uses
//! the default strategy and does not wait. All strategies give the same bits.

use super::schedule::InPlace;
use super::source::Source;
use reduce_lanes::Prefetch;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Bytes from which the speed of memory shows.
const LARGE: usize = 8 << 20;

/// Bytes from which few caches hold the input.
const HUGE: usize = 64 << 20;

/// Least and most bytes of a slice.
const SLICE: [usize; 2] = [128 << 10, 1 << 20];

/// Timed slices per strategy, after one that warms up.
const ROUNDS: usize = 7;

/// The most time of a probe. Pages that the system reads from a disk take longer, and would decide instead of the strategies.
const BUDGET: Duration = Duration::from_millis(5);

/// Probes that may run out of time before the default strategy stays.
const ATTEMPTS: u32 = 4;

/// The strategy where none was measured.
pub(super) const DEFAULT: Prefetch = Prefetch::MultiStream;

/// The probe of one kind of loop and size of input.
#[derive(Debug)]
struct Probe {
    attempts: Mutex<u32>,
    fastest: OnceLock<Prefetch>,
}

/// By `is_sum`, `widens`, and whether the input is huge.
static PROBES: [[[Probe; 2]; 2]; 2] = [const { [const { [const { Probe::new() }; 2] }; 2] }; 2];

/// The fastest strategy for a loop over the source. `run` reads a range of it by a strategy.
pub(super) fn fastest(
    reads: InPlace,
    source: &Source<'_>,
    mut run: impl FnMut(Prefetch, Range<usize>),
) -> Prefetch {
    let [sum, wide, huge] = [reads.is_sum, reads.widens, source.bytes() >= HUGE].map(usize::from);
    let probe = &PROBES[sum][wide][huge];
    let Some(slice) = slice(reads.chunk, source) else { return probe.known() };
    let time = |prefetch, range| {
        let start = Instant::now();
        run(prefetch, range);
        start.elapsed()
    };
    probe.fastest(|| race(source.len(), slice, time))
}

/// Elements of a slice: whole chunks. `None` if the source is no sample: it is small or strided, or has long chunks.
fn slice(chunk: usize, source: &Source<'_>) -> Option<usize> {
    let bytes = source.bytes();
    if bytes < LARGE || !source.is_contiguous() {
        return None;
    }
    let each = (bytes / source.len().max(1)).max(1);
    let slice = (SLICE[0] / each).checked_next_multiple_of(chunk)?;
    (slice.saturating_mul(each) <= SLICE[1]).then_some(slice)
}

impl Probe {
    const fn new() -> Probe {
        Probe { attempts: Mutex::new(0), fastest: OnceLock::new() }
    }

    fn known(&self) -> Prefetch {
        *self.fastest.get().unwrap_or(&DEFAULT)
    }

    /// The fastest strategy, measured if it is unknown and no other thread measures it now.
    fn fastest(&self, measure: impl FnOnce() -> Option<Prefetch>) -> Prefetch {
        if let Ok(mut attempts) = self.attempts.try_lock()
            && self.fastest.get().is_none()
            && *attempts < ATTEMPTS
        {
            *attempts += 1;
            if let Some(prefetch) = measure() {
                // Only this thread sets it.
                let _ = self.fastest.set(prefetch);
            }
        }
        self.known()
    }
}

/// The strategy with the least median time, or `None` if the budget is spent. Strategies take turns, so that other load on the
/// machine meets all of them; if the input is long enough, no slice is read twice.
fn race(
    len: usize,
    slice: usize,
    mut time: impl FnMut(Prefetch, Range<usize>) -> Duration,
) -> Option<Prefetch> {
    let mut times = Prefetch::ALL.map(|prefetch| (prefetch, [Duration::ZERO; ROUNDS + 1]));
    let (slices, turns) = (len / slice, Prefetch::ALL.len() * (ROUNDS + 1));
    let (distance, mut spent) = ((slices / turns).max(1), Duration::ZERO);
    for turn in 0..turns {
        let (round, racer) = (turn / Prefetch::ALL.len(), turn % Prefetch::ALL.len());
        let start = turn * distance % slices * slice;
        let (prefetch, times) = &mut times[racer];
        times[round] = time(*prefetch, start..start + slice);
        spent += times[round];
        if spent > BUDGET {
            return None;
        }
    }
    let median = |times: &[Duration]| *times.to_vec().select_nth_unstable(times.len() / 2).1;
    times.iter().min_by_key(|(_, times)| median(&times[1..])).map(|&(prefetch, _)| prefetch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strided;
    use reduce_lanes::LanesRef;
    use std::cell::Cell;
    use std::collections::BTreeSet;

    const MICROSECOND: Duration = Duration::from_micros(1);

    #[test]
    fn the_fastest_strategy_wins_whatever_else_the_machine_does() {
        for best in Prefetch::ALL {
            // The first slices are slow, and others take the processor away in up to three rounds of each strategy.
            let turn = Cell::new(0);
            let time = |prefetch, _| {
                let round = turn.replace(turn.get() + 1) / Prefetch::ALL.len();
                match (round, prefetch == best) {
                    (0, is_best) => MICROSECOND * if is_best { 400 } else { 300 },
                    (1 | 4 | 6, true) => MICROSECOND * 90,
                    (_, true) => MICROSECOND * 20,
                    (_, false) => MICROSECOND * 21,
                }
            };
            assert_eq!(race(1 << 20, 1 << 10, time), Some(best));
        }
    }

    #[test]
    fn a_probe_ends_when_its_time_is_spent() {
        let mut turns = 0;
        let time = |_, _| {
            turns += 1;
            Duration::from_millis(2)
        };
        assert_eq!(race(1 << 20, 1 << 10, time), None);
        assert_eq!(turns, 3);
    }

    /// The ranges that a probe of so many elements reads.
    fn read(len: usize, slice: usize) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        race(len, slice, |_, range| {
            ranges.push(range);
            MICROSECOND
        });
        ranges
    }

    #[test]
    fn slices_are_whole_and_no_strategy_reads_the_one_before() {
        for len in [8 << 10, (9 << 10) + 5, 32 << 10, 1 << 20] {
            let ranges = read(len, 1 << 10);
            assert_eq!(ranges.len(), 4 * (ROUNDS + 1));
            assert!(ranges.iter().all(|range| range.len() == 1 << 10 && range.end <= len));
            assert!(ranges.windows(2).all(|pair| pair[0] != pair[1]));
            let different: BTreeSet<_> = ranges.iter().map(|range| range.start).collect();
            assert_eq!(different.len(), (len >> 10).min(ranges.len()));
        }
    }

    #[test]
    fn only_large_contiguous_inputs_of_short_chunks_are_samples() {
        let data = vec![0.0f32; LARGE / 4];
        let of = |data, step, len| {
            let input = Strided { data: LanesRef::F32(data), offset: 0, step, len };
            Source::elements(vec![input], &[])
        };
        let large = of(&data, 1, data.len());
        assert_eq!(slice(1 << 12, &large), Some(1 << 15));
        assert_eq!(slice(1 << 16, &large), Some(1 << 16));
        assert_eq!(slice(1 << 19, &large), None);
        assert_eq!(slice(usize::MAX, &large), None);
        assert_eq!(slice(1 << 12, &of(&data, 1, data.len() - 1)), None);
        assert_eq!(slice(1 << 12, &of(&data, 0, data.len())), None);
    }

    #[test]
    fn a_probe_runs_once_and_nobody_waits_for_it() {
        let probe = Probe::new();
        let measured = probe.fastest(|| {
            assert_eq!(probe.fastest(|| Some(Prefetch::L2)), DEFAULT);
            Some(Prefetch::NonTemporal)
        });
        assert_eq!(measured, Prefetch::NonTemporal);
        assert_eq!(probe.fastest(|| Some(Prefetch::L2)), Prefetch::NonTemporal);
    }

    #[test]
    fn a_probe_that_runs_out_of_time_is_repeated_a_few_times() {
        let probe = Probe::new();
        (0..ATTEMPTS - 1).for_each(|_| assert_eq!(probe.fastest(|| None), DEFAULT));
        assert_eq!(probe.fastest(|| Some(Prefetch::L2)), Prefetch::L2);
        let probe = Probe::new();
        (0..ATTEMPTS).for_each(|_| assert_eq!(probe.fastest(|| None), DEFAULT));
        assert_eq!(probe.fastest(|| Some(Prefetch::L2)), DEFAULT);
    }
}
