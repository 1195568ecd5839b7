//! The table of results: contestants, times and machine. Written as JSON, and read back to render it.

use super::stats::Spread;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) machine: Machine,
    pub(crate) rows: Vec<Row>,
    /// Contestants and results that are missing, with the reason.
    pub(crate) missing: Vec<String>,
}

/// The machine and the versions of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) gpu: String,
    pub(crate) driver: String,
    /// `reducegen`, `NVRTC`, `CUB`, `nvcc`, `PyTorch`: name and version.
    pub(crate) versions: Vec<(String, String)>,
    /// The method of measurement, in sentences.
    pub(crate) method: Vec<String>,
}

/// One contestant in one cell, in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(crate) n: u64,
    /// The number of results of a call.
    #[serde(default = "one")]
    pub(crate) outputs: u64,
    /// Bytes of all inputs together, and of the results if there are several.
    pub(crate) bytes: u64,
    pub(crate) mode: Mode,
    pub(crate) peer: Peer,
    /// The time of a call, in microseconds.
    pub(crate) time: Spread,
    /// Its time divided by ours in the same round; `None` for ours.
    pub(crate) ratio: Option<Spread>,
    /// The least ratio that must hold.
    pub(crate) goal: Option<f64>,
    pub(crate) check: Check,
}

fn one() -> u64 {
    1
}

impl Row {
    /// Returns whether a call has several results.
    pub(crate) fn is_shape(&self) -> bool {
        self.outputs > 1
    }

    /// Returns the rate, in GB per second.
    pub(crate) fn gigabytes(&self) -> f64 {
        self.bytes as f64 / self.time.median / 1e3
    }

    /// Returns whether the goal is met, or `None` without a goal.
    pub(crate) fn met(&self) -> Option<bool> {
        Some(self.ratio?.median >= self.goal?)
    }
}

/// The calls that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// Calls on a stream, back to back, with the host's work for each.
    Stream,
    /// The same calls, captured in a graph.
    Graph,
}

impl Mode {
    pub(crate) const ALL: [Mode; 2] = [Mode::Graph, Mode::Stream];
}

/// A contestant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Peer {
    Ours,
    /// Another reduction of ours: the named operator for a closure, aligned elements for misaligned ones.
    Beside,
    Cub,
    Eager,
    Compiled,
    /// A kernel that only reads the same number of bytes.
    Read,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Peer::Ours => "reducegen",
            Peer::Beside => "reducegen, reference",
            Peer::Cub => "CUB",
            Peer::Eager => "PyTorch",
            Peer::Compiled => "torch.compile",
            Peer::Read => "read",
        })
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Stream => "stream",
            Mode::Graph => "graph",
        })
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Check {
    /// Ours: the bits of the host backend. Others: within the bound of the case.
    Right,
    /// The result, and the expected one.
    Wrong(String),
    /// Not compared, with the reason.
    Unknown(String),
}

/// The distance between two right results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// Relative to the expected result.
    pub(crate) relative: f64,
    /// Added to that. Sums near 0 need it.
    pub(crate) absolute: f64,
}

impl Tolerance {
    pub(crate) const EXACT: Tolerance = Tolerance { relative: 0.0, absolute: 0.0 };

    fn allows(self, found: f64, expected: f64) -> bool {
        found == expected || (found - expected).abs() <= self.relative * expected.abs() + self.absolute
    }
}

impl Check {
    /// Compares results with ours.
    pub(crate) fn of(found: &[f64], ours: &[f64], tolerance: Tolerance) -> Check {
        if found.len() != ours.len() || ours.len() < MANY {
            let near = |(&a, &b): (&f64, &f64)| tolerance.allows(a, b);
            let right = found.len() == ours.len() && found.iter().zip(ours).all(near);
            return if right { Check::Right } else { Check::wrong(found, ours) };
        }
        let differs = |&at: &usize| !tolerance.allows(found[at], ours[at]);
        Check::of_each(ours.len(), differs, |at| format!("{} instead of {}", found[at], ours[at]))
    }

    /// Reports the first of `count` results that differs, and how many do.
    pub(crate) fn of_each(
        count: usize,
        differs: impl Fn(&usize) -> bool,
        text: impl Fn(usize) -> String,
    ) -> Check {
        let mut differing = (0..count).filter(differs);
        let Some(first) = differing.next() else { return Check::Right };
        Check::Wrong(format!(
            "result {first} is {}; {} of {count} differ",
            text(first),
            1 + differing.count()
        ))
    }

    /// Reports that results differ. Of many, it names the number.
    pub(crate) fn wrong<T: fmt::Display>(found: &[T], expected: &[T]) -> Check {
        let text = |all: &[T]| match all.len() {
            MANY.. => format!("{} results", all.len()),
            _ => all.iter().map(T::to_string).collect::<Vec<_>>().join(" "),
        };
        Check::Wrong(format!("{} instead of {}", text(found), text(expected)))
    }
}

/// The least number of results that are not printed one by one.
const MANY: usize = 17;
