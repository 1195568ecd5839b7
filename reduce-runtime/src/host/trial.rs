//! Which way of reading memory is the fastest, found out on what is to be read anyway.
//!
//! Processors differ in it, and do not tell: docs/measured.md has the measurements (How the host reads memory).

use reduce_dsl::lanes::Way;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Rounds in which each way reads a batch, until the one that was the fastest in most of them stays.
const ROUNDS: usize = 8;

/// Which of some ways is the fastest.
#[derive(Debug)]
pub(super) struct Trial {
    ways: &'static [Way],
    turns: AtomicUsize,
    /// What each way took in each round, in nanoseconds for 2^20 elements.
    times: Mutex<Vec<Vec<Option<u128>>>>,
    fastest: OnceLock<Way>,
}

impl Trial {
    /// Of those ways, of which there is one.
    pub(super) fn of(ways: &'static [Way]) -> Trial {
        let times = Mutex::new(vec![vec![None; ways.len()]; ROUNDS]);
        Trial { ways, turns: AtomicUsize::new(0), times, fastest: OnceLock::new() }
    }

    /// The fastest one; the first one where that is not known yet.
    pub(super) fn fastest(&self) -> Way {
        self.fastest.get().copied().unwrap_or(self.ways[0])
    }

    /// What `batch` of so many elements gives by the way whose turn it is, or by the fastest one.
    pub(super) fn run<R>(&self, elements: usize, batch: impl FnOnce(Way) -> R) -> R {
        if self.ways.len() == 1 || self.fastest.get().is_some() {
            return batch(self.fastest());
        }
        let turn = self.turns.fetch_add(1, Relaxed);
        let (round, way) = (turn / self.ways.len(), turn % self.ways.len());
        let start = Instant::now();
        let result = batch(self.ways[way]);
        self.took([round, way], elements, start.elapsed());
        result
    }

    /// Batches of one round follow each other, so that what else the machine does meets all of them.
    fn took(&self, [round, way]: [usize; 2], elements: usize, time: Duration) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(time_of) = times.get_mut(round) {
            time_of[way] = Some((time.as_nanos() << 20) / elements.max(1) as u128);
        }
        if times.iter().flatten().all(Option::is_some) {
            self.fastest.get_or_init(|| self.ways[most_often_least(&times)]);
        }
    }
}

/// The place at which most rows have their least element.
fn most_often_least(rows: &[Vec<Option<u128>>]) -> usize {
    let least: Vec<_> = rows.iter().filter_map(|row| (0..row.len()).min_by_key(|&at| row[at])).collect();
    let times = |at: &usize| least.iter().filter(|&least| least == at).count();
    least.iter().copied().max_by_key(times).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_have_their_turns_and_one_stays() {
        let trial = Trial::of(&Way::ALL);
        let turns = Way::ALL.repeat(ROUNDS);
        let ways: Vec<_> = turns.iter().map(|_| trial.run(1 << 20, |way| way)).collect();
        assert_eq!(ways, turns);
        assert!(trial.fastest.get().is_some());
        let after: Vec<_> = turns.iter().map(|_| trial.run(1 << 20, |way| way)).collect();
        assert_eq!(after, vec![trial.fastest(); turns.len()]);
    }

    #[test]
    fn one_way_has_no_rival() {
        let trial = Trial::of(&[Way::InOrder]);
        assert_eq!([trial.fastest(), trial.run(1, |way| way)], [Way::InOrder; 2]);
    }

    /// Each second round takes twice as long; batches have several lengths; and the slowest one is the fastest once.
    #[test]
    fn what_is_fastest_in_most_rounds_stays() {
        for fastest in 0..Way::ALL.len() {
            let trial = Trial::of(&Way::ALL);
            for round in 0..ROUNDS {
                for way in 0..Way::ALL.len() {
                    assert_eq!(trial.fastest(), Way::ALL[0], "before round {round}");
                    let micros = match (round, way == fastest) {
                        (0, true) => 900,
                        (_, true) => 50,
                        (_, false) => 50 + 10 * way as u64 + 1,
                    };
                    let (slower, longer) = (1 + round as u64 % 2, way as u64 + 1);
                    let time = Duration::from_micros(micros * slower * longer);
                    trial.took([round, way], (way + 1) << 20, time);
                }
            }
            assert_eq!(trial.fastest(), Way::ALL[fastest]);
        }
    }
}
