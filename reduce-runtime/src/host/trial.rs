//! Which way of reading memory is the fastest, found out on what is to be read anyway, and again from time to time.
//!
//! Processors differ in it, and do not tell; and what else the machine does changes it: docs/decisions.md has the figures.

use reduce_lanes::Way;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Rounds by which a way can lead; who is so far behind takes no part. Where it wins two rounds for each that another wins, it is behind
/// in one of 2^5: each lead is twice as frequent as the one below.
const LEAD: u64 = 4;

/// Batches from one round of all ways to the next: four ways take one in sixty-four for them, and where the slower ones take twice as
/// long, that costs a hundredth.
const BETWEEN: usize = 256;

/// Which of some ways is the fastest.
#[derive(Debug)]
pub(super) struct Trial {
    ways: &'static [Way],
    rounds: Mutex<Rounds>,
    fastest: AtomicUsize,
}

impl Trial {
    /// Of those ways, of which there is one.
    pub(super) fn of(ways: &'static [Way]) -> Trial {
        Trial { ways, rounds: Mutex::new(Rounds::of(ways.len())), fastest: AtomicUsize::new(0) }
    }

    /// The fastest one; the first one where that is not known yet.
    pub(super) fn fastest(&self) -> Way {
        self.ways[self.fastest.load(Relaxed)]
    }

    /// What `batch` of so many elements gives by the way whose turn it is, or by the fastest one.
    pub(super) fn run<R>(&self, elements: usize, batch: impl FnOnce(Way) -> R) -> R {
        if self.ways.len() == 1 {
            return batch(self.ways[0]);
        }
        let Some(way) = self.with(Rounds::turn) else { return batch(self.fastest()) };
        let start = Instant::now();
        let result = batch(self.ways[way]);
        self.took(way, elements, start.elapsed());
        result
    }

    fn took(&self, way: usize, elements: usize, time: Duration) {
        let time = (time.as_nanos() << 20) / elements.max(1) as u128;
        self.with(|rounds| self.fastest.store(rounds.took(way, time), Relaxed));
    }

    fn with<R>(&self, f: impl FnOnce(&mut Rounds) -> R) -> R {
        f(&mut self.rounds.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// In each round every way that takes part reads a batch: batches that follow each other, so that what else the machine does meets all
/// of them. Ways that are alike take part in all rounds, which costs nothing; the others from time to time.
#[derive(Debug)]
struct Rounds {
    /// The ways that take part in this one; none between two of them.
    racing: Vec<usize>,
    /// The place of the one whose turn is next.
    next: usize,
    /// What each way took in this one, in nanoseconds for 2^20 elements.
    times: Vec<Option<u128>>,
    /// Batches since a round of all ways.
    batches: usize,
    /// Rounds that each way won, but no fewer than [`LEAD`] below the most.
    won: Vec<u64>,
    /// The way that won the most, or had so many first.
    fastest: usize,
}

impl Rounds {
    fn of(ways: usize) -> Rounds {
        let (times, won) = (vec![None; ways], vec![0; ways]);
        Rounds { racing: Vec::new(), next: 0, times, batches: 0, won, fastest: 0 }
    }

    /// The way that reads this batch, if it is one of a round.
    fn turn(&mut self) -> Option<usize> {
        self.batches += 1;
        if self.racing.is_empty() {
            self.begin();
        }
        let way = *self.racing.get(self.next)?;
        self.next += 1;
        Some(way)
    }

    /// Those who are not too far behind, or all; one alone makes no round.
    fn begin(&mut self) {
        let (all, most) = (self.batches > BETWEEN, self.won[self.fastest]);
        let racing: Vec<_> = (0..self.won.len()).filter(|&way| all || self.won[way] + LEAD > most).collect();
        if all {
            self.batches = 0;
        }
        if racing.len() > 1 {
            (self.racing, self.next) = (racing, 0);
        }
    }

    /// The fastest way, now that this is known.
    fn took(&mut self, way: usize, time: u128) -> usize {
        self.times[way] = Some(time);
        if self.racing.iter().all(|&way| self.times[way].is_some()) {
            let winner = self.racing.iter().copied().min_by_key(|&way| self.times[way]);
            winner.into_iter().for_each(|way| self.end(way));
        }
        self.fastest
    }

    fn end(&mut self, winner: usize) {
        self.won[winner] += 1;
        if self.won[winner] > self.won[self.fastest] {
            self.fastest = winner;
        }
        let least = self.won[self.fastest].saturating_sub(LEAD);
        self.won.iter_mut().for_each(|won| *won = least.max(*won));
        self.times.fill(None);
        self.racing.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The turns of so many batches of three ways, which take what `time` says of the round and the way, and the fastest way after each
    /// round.
    fn raced(batches: usize, time: impl Fn(usize, usize) -> u128) -> (Vec<Option<usize>>, Vec<usize>) {
        let (mut trial, mut fastest) = (Rounds::of(3), Vec::new());
        let mut turn = || {
            let way = trial.turn()?;
            let now = trial.took(way, time(fastest.len(), way));
            fastest.extend(trial.racing.is_empty().then_some(now));
            Some(way)
        };
        ((0..batches).map(|_| turn()).collect(), fastest)
    }

    #[test]
    fn other_work_on_the_machine_does_not_decide() {
        for best in 0..3 {
            // Each second round takes twice as long, and in each third one the best way the longest.
            let time = |round: usize, way| match (round % 3, way == best) {
                (1, true) => 900,
                (_, true) => 50 << (round % 2),
                (_, false) => (51 + way as u128) << (round % 2),
            };
            let (_, fastest) = raced(10_000, time);
            assert_eq!(fastest, vec![best; fastest.len()]);
        }
    }

    #[test]
    fn what_was_the_fastest_need_not_stay_so() {
        // After 20 rounds another one is.
        let time = |round, way| if (way == 1) == (round < 20) { 5 } else { 6 + way as u128 };
        let (_, fastest) = raced(10_000, time);
        // The one that won leads by four, and five rounds later the other one by one.
        assert_eq!(fastest[..24], [1; 24]);
        assert_eq!(fastest[24..], vec![0; fastest.len() - 24]);
    }

    #[test]
    fn who_is_behind_takes_part_from_time_to_time() {
        let (turns, _) = raced(600, |_, way| 9 - way as u128);
        let all = [Some(0), Some(1), Some(2)];
        assert_eq!(turns[..12], all.repeat(4));
        assert_eq!(turns[12..256], [None; 244]);
        assert_eq!(turns[256..259], all);
        assert_eq!(turns[259..513], [None; 254]);
        assert_eq!(turns[513..516], all);
    }

    #[test]
    fn ways_that_are_alike_take_part_in_every_round() {
        let (turns, _) = raced(600, |round, way| if way == 2 { 9 } else { ((way + round) % 2) as u128 });
        // The last one leaves when another one has won four.
        assert_eq!(turns[..21], [Some(0), Some(1), Some(2)].repeat(7));
        assert_eq!(turns[21..255], [Some(0), Some(1)].repeat(117));
        assert_eq!(turns.iter().filter(|&&way| way == Some(2)).count(), 9);
        assert!(!turns.contains(&None));
    }

    /// Cores read several batches at once: no round begins before the last one has ended.
    #[test]
    fn one_round_ends_before_the_next_begins() {
        let mut trial = Rounds::of(3);
        let turns: Vec<_> = (0..5).map(|_| trial.turn()).collect();
        assert_eq!(turns, [Some(0), Some(1), Some(2), None, None]);
        assert_eq!([(2, 7), (0, 9), (1, 8)].map(|(way, time)| trial.took(way, time)), [0, 0, 2]);
        assert_eq!([trial.turn(), trial.turn()], [Some(0), Some(1)]);
    }

    #[test]
    fn batches_of_any_length_count_the_same() {
        let trial = Trial::of(&Way::ALL);
        for (way, micros) in [5, 6, 7, 4].into_iter().enumerate() {
            assert_eq!((trial.with(Rounds::turn), trial.fastest()), (Some(way), Way::ALL[0]));
            // The best one takes more time than the first, for four times as much.
            let length = way + 1;
            trial.took(way, length << 20, Duration::from_micros(micros * length as u64));
        }
        assert_eq!(trial.fastest(), Way::ALL[3]);
    }

    #[test]
    fn one_way_has_no_rival() {
        let trial = Trial::of(&[Way::InOrder]);
        assert_eq!([trial.fastest(), trial.run(1, |way| way)], [Way::InOrder; 2]);
    }
}
