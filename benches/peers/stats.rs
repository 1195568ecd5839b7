//! Medians and quartiles of times, and of the ratios of two times of one round.

use serde::{Deserialize, Serialize};

/// The middle of some numbers, and the half of them around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl Spread {
    /// Of numbers in any order; `None` of none.
    pub(crate) fn of(numbers: &[f64]) -> Option<Spread> {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part| quantile(&sorted, part);
        Some(Spread { median: at(0.5)?, lower: at(0.25)?, upper: at(0.75)? })
    }

    /// Is the median of so many numbers so near to `goal` that chance may decide which side it is on? By twice its standard error,
    /// which is 1.253 σ / √n of normal numbers, of which the half around the middle is 1.349 σ wide.
    pub(crate) fn is_near(self, goal: f64, count: usize) -> bool {
        let error = 1.253 / 1.349 * (self.upper - self.lower) / (count as f64).sqrt();
        (self.median - goal).abs() < 2.0 * error
    }

    /// Of what each of `numbers` is to the one of `others` of the same round.
    pub(crate) fn of_ratios(numbers: &[f64], others: &[f64]) -> Option<Spread> {
        let ratios: Vec<_> = numbers.iter().zip(others).map(|(number, other)| number / other).collect();
        Spread::of(&ratios)
    }
}

/// The number below which that part of sorted numbers lies, between two of them in proportion.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}
