//! Which way of reading memory is the fastest, found out on what is to be read anyway, and again from time to time.
//!
//! Processors differ in it, and do not tell; and what else the machine does changes it: docs/measured.md has the measurements
//! (How the host reads memory).

use reduce_dsl::lanes::Way;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Rounds by which a way can lead. Where it wins two rounds for each that another wins, it is behind in one of 2^9: each lead is twice
/// as frequent as the one below.
const LEAD: u64 = 8;

/// Batches from one round to the next, where the same way has been the fastest for some. Those of four ways are one in sixty-five
/// then, and where the slower ones take twice as long, they cost a hundredth.
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

/// In each round every way reads a batch: batches that follow each other, so that what else the machine does meets all of them.
#[derive(Debug)]
struct Rounds {
    /// What each way took in this one, in nanoseconds for 2^20 elements.
    times: Vec<Option<u128>>,
    /// The way whose turn is next.
    next: usize,
    /// Batches until this one begins.
    wait: usize,
    /// Batches between the last two.
    between: usize,
    /// Rounds that each way won, but no fewer than [`LEAD`] below the most.
    won: Vec<u64>,
    /// The way that won the most, or had so many first.
    fastest: usize,
}

impl Rounds {
    fn of(ways: usize) -> Rounds {
        let (times, won) = (vec![None; ways], vec![0; ways]);
        Rounds { times, next: 0, wait: 0, between: 0, won, fastest: 0 }
    }

    /// The way that reads a batch of this round, if it is one of it.
    fn turn(&mut self) -> Option<usize> {
        if self.wait > 0 {
            self.wait -= 1;
            return None;
        }
        let way = (self.next < self.times.len()).then_some(self.next)?;
        self.next += 1;
        Some(way)
    }

    /// The fastest way, now that this is known.
    fn took(&mut self, way: usize, time: u128) -> usize {
        self.times[way] = Some(time);
        if self.times.iter().all(Option::is_some) {
            let winner = (0..self.times.len()).min_by_key(|&way| self.times[way]);
            winner.into_iter().for_each(|way| self.end(way));
            self.times.fill(None);
            self.next = 0;
        }
        self.fastest
    }

    /// The longer the same way is the fastest, the longer it stays alone; whoever wins meanwhile, as ways that are alike do in turn.
    fn end(&mut self, winner: usize) {
        self.won[winner] += 1;
        let least = self.won.iter().copied().max().unwrap_or(0).saturating_sub(LEAD);
        self.won.iter_mut().for_each(|won| *won = least.max(*won));
        if self.won[winner] > self.won[self.fastest] {
            self.fastest = winner;
            self.between = 0;
        }
        self.between = (2 * self.between).clamp(1, BETWEEN);
        self.wait = self.between;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fastest way after each of some rounds of three ways, which take what `time` says of the round and the way.
    fn raced(rounds: usize, time: impl Fn(usize, usize) -> u128) -> Vec<usize> {
        let mut trial = Rounds::of(3);
        let mut fastest = Vec::new();
        while fastest.len() < rounds {
            let Some(way) = trial.turn() else { continue };
            let now = trial.took(way, time(fastest.len(), way));
            fastest.extend((way == 2).then_some(now));
        }
        fastest
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
            assert_eq!(raced(100, time), [best; 100]);
        }
    }

    #[test]
    fn what_was_the_fastest_need_not_stay_so() {
        // After 100 rounds another one is.
        let time = |round, way| if (way == 1) == (round < 100) { 5 } else { 6 + way as u128 };
        let fastest = raced(200, time);
        // The one that won leads by eight, and nine rounds later the other one by one.
        assert_eq!(fastest[..108], [1; 108]);
        assert_eq!(fastest[108..], [0; 92]);
    }

    /// The turns of so many batches.
    fn turns(batches: usize, time: impl Fn(usize, usize) -> u128) -> Vec<Option<usize>> {
        let (mut trial, mut ended) = (Rounds::of(3), 0);
        let mut turn = || {
            let way = trial.turn()?;
            trial.took(way, time(ended, way));
            ended += usize::from(way == 2);
            Some(way)
        };
        (0..batches).map(|_| turn()).collect()
    }

    #[test]
    fn rounds_are_rare_where_the_same_way_wins() {
        let turns = turns(2000, |_, way| 9 - way as u128);
        let first = [Some(0), Some(1), Some(2), None, Some(0), Some(1), Some(2), None, None, Some(0)];
        assert_eq!(turns[..10], first);
        // Nine rounds with 1, 2, 4, … 256 batches behind them, and then one in each 259.
        assert_eq!(turns[..538].iter().flatten().count(), 27);
        assert_eq!(turns[538..538 + 2 * 259].iter().flatten().count(), 6);
    }

    #[test]
    fn rounds_are_rare_where_ways_are_alike() {
        let alike = turns(2000, |round, way| ((way + round) % 3) as u128);
        let same = turns(2000, |_, way| way as u128);
        assert_eq!(alike, same);
    }

    /// Cores read several batches at once: no round begins before the last one has ended.
    #[test]
    fn one_round_ends_before_the_next_begins() {
        let mut trial = Rounds::of(3);
        let turns: Vec<_> = (0..5).map(|_| trial.turn()).collect();
        assert_eq!(turns, [Some(0), Some(1), Some(2), None, None]);
        assert_eq!([(2, 7), (0, 9), (1, 8)].map(|(way, time)| trial.took(way, time)), [0, 0, 2]);
        assert_eq!([trial.turn(), trial.turn()], [None, Some(0)]);
    }

    #[test]
    fn batches_of_any_length_count_the_same() {
        let trial = Trial::of(&Way::ALL);
        for (way, micros) in [5, 6, 7, 4].into_iter().enumerate() {
            assert_eq!(trial.fastest(), Way::ALL[0], "before {way}");
            let length = 4 - way;
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
