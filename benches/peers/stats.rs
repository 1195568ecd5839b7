//! Medians and quartiles of times, and of the ratios of two times of one round.

use serde::{Deserialize, Serialize};

/// The median and the quartiles of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl Spread {
    /// Computes the spread of numbers in any order. Returns `None` for an empty slice.
    pub(crate) fn of(numbers: &[f64]) -> Option<Spread> {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part| quantile(&sorted, part);
        Some(Spread { median: at(0.5)?, lower: at(0.25)?, upper: at(0.75)? })
    }

    /// Returns whether the median of `count` numbers is within two standard errors of `goal`, so that chance may decide.
    /// For normal numbers the standard error of the median is 1.253 σ / √n, and the quartiles are 1.349 σ apart.
    pub(crate) fn is_near(self, goal: f64, count: usize) -> bool {
        let error = 1.253 / 1.349 * (self.upper - self.lower) / (count as f64).sqrt();
        (self.median - goal).abs() < 2.0 * error
    }

    /// Computes the spread of the ratios of `numbers` to `others`, round by round.
    pub(crate) fn of_ratios(numbers: &[f64], others: &[f64]) -> Option<Spread> {
        let ratios: Vec<_> = numbers.iter().zip(others).map(|(number, other)| number / other).collect();
        Spread::of(&ratios)
    }
}

/// Returns a quantile of sorted numbers, interpolated linearly.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}
