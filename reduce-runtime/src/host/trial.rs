//! Which of two ways of reading memory is the faster one, found out on what is to be read anyway.
//!
//! Processors differ in it, and do not tell: the measurements are in ARCHITECTURE.md.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Batches that are read by each way, until the faster one stays.
const TURNS: usize = 8;

/// Which of two ways is faster, 0 or 1.
#[derive(Debug, Default)]
pub(super) struct Trial {
    turns: AtomicUsize,
    /// What each took, in nanoseconds for 2^20 elements.
    times: Mutex<[Vec<u128>; 2]>,
    faster: OnceLock<usize>,
}

impl Trial {
    /// The faster one; 0 where that is not known yet.
    pub(super) fn faster(&self) -> usize {
        self.faster.get().copied().unwrap_or(0)
    }

    /// What `batch` of so many elements gives by the way whose turn it is, or by the faster one.
    pub(super) fn run<R>(&self, elements: usize, batch: impl FnOnce(usize) -> R) -> R {
        if let Some(&faster) = self.faster.get() {
            return batch(faster);
        }
        let way = self.turns.fetch_add(1, Relaxed) % 2;
        let start = Instant::now();
        let result = batch(way);
        self.took(way, elements, start.elapsed());
        result
    }

    /// Medians count: of some batches a part is in the caches, and some others are interrupted.
    fn took(&self, way: usize, elements: usize, time: Duration) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times[way].push((time.as_nanos() << 20) / elements.max(1) as u128);
        if times.iter().all(|times| times.len() >= TURNS) {
            let [first, second] = times.each_mut().map(|times| median(times));
            self.faster.get_or_init(|| usize::from(second < first));
        }
    }
}

fn median(times: &mut [u128]) -> u128 {
    *times.select_nth_unstable(times.len() / 2).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_have_their_turns_and_one_stays() {
        let trial = Trial::default();
        let ways: Vec<_> = (0..4 * TURNS).map(|_| trial.run(1 << 20, |way| way)).collect();
        assert_eq!(ways[..2 * TURNS], [0, 1].repeat(TURNS));
        assert_eq!(ways[2 * TURNS..], [trial.faster(); 2 * TURNS]);
    }

    /// The slower one has the fastest batch, and the faster one is interrupted once.
    #[test]
    fn the_median_for_each_element_counts() {
        for faster in [0, 1] {
            let trial = Trial::default();
            for turn in 0..TURNS {
                assert_eq!(trial.faster(), 0, "before turn {turn}");
                let [fast, slow] = match turn {
                    0 => [900, 10],
                    _ => [50, 60],
                };
                trial.took(faster, 1 << 20, Duration::from_micros(fast));
                trial.took(1 - faster, 1 << 18, Duration::from_micros(slow / 4));
            }
            assert_eq!(trial.faster(), faster);
        }
    }
}
