//! Measures which prefetch strategy is fastest, for the whole process: once for each kind of loop and size of input.
//!
//! Processors differ by up to a factor of two, and a virtual machine hides its processor. The sample is the first large input of
//! a kind, as memory of our own would lie in a cache after it was written. A probe reads 8 slices by each strategy, 32 in all, of
//! 128 KiB or a chunk each: about 1 ms. As one moment of other load could decide for ever, the first 5 large inputs are probed, and
//! their times count together: 5 ms per kind and process. Most processes have one or two of the 12 kinds. A thread that meets a
//! running probe does not wait. All strategies give the same bits.

use super::schedule::InPlace;
use super::source::Source;
use reduce_lanes::Prefetch;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Bytes from which the speed of memory shows.
const LARGE: usize = 8 << 20;

/// Bytes from which few caches hold the input.
const HUGE: usize = 64 << 20;

/// Least and most bytes of a slice.
const SLICE: [usize; 2] = [128 << 10, 1 << 20];

/// Timed slices per strategy and probe, after one that warms up.
const ROUNDS: usize = 7;

/// The most time of a probe. Pages that the system reads from a disk take longer, and would decide instead of the strategies.
const BUDGET: Duration = Duration::from_millis(5);

/// Probes of a kind.
const PROBES: usize = 5;

const STRATEGIES: usize = Prefetch::ALL.len();

/// The times of every strategy, for slices of one length.
type Times = [[Duration; ROUNDS]; STRATEGIES];

/// The probes of one kind of loop and size of input.
#[derive(Debug)]
struct Kind {
    /// The probes that ran, and the times of those within their budget.
    probes: Mutex<(usize, Vec<Times>)>,
    /// The place of the fastest strategy so far.
    fastest: AtomicUsize,
}

/// By loop, whether it widens elements, and whether the input is huge.
static KINDS: [[[Kind; 2]; 2]; 3] = [const { [const { [const { Kind::new() }; 2] }; 2] }; 3];

/// The fastest strategy for a loop over the source. `run` reads a range of it by a strategy.
pub(super) fn fastest(
    reads: InPlace,
    source: &Source<'_>,
    mut run: impl FnMut(Prefetch, Range<usize>),
) -> Prefetch {
    let [widens, huge] = [reads.widens, source.bytes() >= HUGE].map(usize::from);
    let kind = &KINDS[reads.by as usize][widens][huge];
    let time = |prefetch, range| {
        let start = Instant::now();
        run(prefetch, range);
        start.elapsed()
    };
    if let Some(slice) = slice(reads.chunk, source) {
        kind.probe(|| race(source.len(), slice, time));
    }
    kind.fastest()
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

impl Kind {
    const fn new() -> Kind {
        Kind { probes: Mutex::new((0, Vec::new())), fastest: AtomicUsize::new(0) }
    }

    fn fastest(&self) -> Prefetch {
        Prefetch::ALL[self.fastest.load(Relaxed)]
    }

    /// Runs a probe, unless all ran or another thread runs one.
    fn probe(&self, race: impl FnOnce() -> Option<Times>) {
        let Ok(mut probes) = self.probes.try_lock() else { return };
        let (count, times) = &mut *probes;
        if *count < PROBES {
            *count += 1;
            times.extend(race());
            let median = |&strategy: &usize| median(times.iter().flat_map(|times| times[strategy]));
            self.fastest.store((0..STRATEGIES).min_by_key(median).unwrap_or(0), Relaxed);
        }
    }
}

fn median(times: impl Iterator<Item = Duration>) -> Option<Duration> {
    let mut times: Vec<_> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

/// The times of a probe, or `None` if it exceeds its budget. Strategies take turns, so that other load on the machine meets all of
/// them; if the input is long enough, no slice is read twice.
fn race(len: usize, slice: usize, mut time: impl FnMut(Prefetch, Range<usize>) -> Duration) -> Option<Times> {
    let (slices, turns) = (len / slice, STRATEGIES * (ROUNDS + 1));
    let (distance, mut spent) = ((slices / turns).max(1), Duration::ZERO);
    let mut times = [[Duration::ZERO; ROUNDS]; STRATEGIES];
    for turn in 0..turns {
        let (round, strategy) = (turn / STRATEGIES, turn % STRATEGIES);
        let start = turn * distance % slices * slice;
        let time = time(Prefetch::ALL[strategy], start..start + slice);
        // The first round warms up; the next one overwrites it.
        times[strategy][round.saturating_sub(1)] = time;
        spent += time;
        if spent > BUDGET {
            return None;
        }
    }
    Some(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strided;
    use reduce_lanes::LanesRef;
    use std::cell::Cell;
    use std::collections::BTreeSet;

    const MICROSECOND: Duration = Duration::from_micros(1);

    /// A probe in which each strategy takes so many microseconds in each round, the first of which warms up.
    fn raced(micros: impl Fn(Prefetch, usize) -> u32) -> Option<Times> {
        let turn = Cell::new(0);
        race(1 << 20, 1 << 10, |prefetch, _| {
            MICROSECOND * micros(prefetch, turn.replace(turn.get() + 1) / STRATEGIES)
        })
    }

    #[test]
    fn the_fastest_strategy_wins_whatever_else_the_machine_does() {
        for best in Prefetch::ALL {
            let kind = Kind::new();
            // The best one is slow to warm up, and other load meets it in three rounds.
            kind.probe(|| {
                raced(|prefetch, round| match (round, prefetch == best) {
                    (0, is_best) => {
                        if is_best {
                            400
                        } else {
                            300
                        }
                    }
                    (1 | 4 | 6, true) => 90,
                    (_, true) => 20,
                    (_, false) => 21,
                })
            });
            assert_eq!(kind.fastest(), best);
        }
    }

    #[test]
    fn a_probe_ends_when_its_time_is_spent() {
        let turns = Cell::new(0);
        let times = race(1 << 20, 1 << 10, |_, _| {
            turns.set(turns.get() + 1);
            Duration::from_millis(2)
        });
        assert_eq!((times, turns.get()), (None, 3));
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

    /// A probe in which that strategy is the fastest.
    fn won_by(best: Prefetch) -> Option<Times> {
        raced(|prefetch, _| if prefetch == best { 20 } else { 30 })
    }

    #[test]
    fn a_moment_of_other_load_does_not_decide_for_ever() {
        let kind = Kind::new();
        assert_eq!(kind.fastest(), Prefetch::MultiStream);
        let (first, second) = (Prefetch::L2, Prefetch::NonTemporal);
        let found = [first, second, second, first, second, first].map(|best| {
            kind.probe(|| won_by(best));
            kind.fastest()
        });
        // After an even number of probes it is a tie; the sixth one does not run.
        assert_eq!([found[0], found[2], found[4], found[5]], [first, second, second, second]);
    }

    #[test]
    fn nobody_waits_for_a_probe() {
        let kind = Kind::new();
        kind.probe(|| {
            kind.probe(|| won_by(Prefetch::L2));
            assert_eq!(kind.fastest(), Prefetch::MultiStream);
            won_by(Prefetch::NonTemporal)
        });
        assert_eq!(kind.fastest(), Prefetch::NonTemporal);
    }

    #[test]
    fn probes_out_of_time_leave_the_strategy_as_it_is() {
        let kind = Kind::new();
        kind.probe(|| None);
        assert_eq!(kind.fastest(), Prefetch::MultiStream);
        kind.probe(|| won_by(Prefetch::Sequential));
        (2..PROBES).for_each(|_| kind.probe(|| None));
        kind.probe(|| won_by(Prefetch::L2));
        assert_eq!(kind.fastest(), Prefetch::Sequential);
    }
}
