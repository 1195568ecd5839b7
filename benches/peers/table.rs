//! The table: what was measured, beside what, on which machine. Written as JSON, and read back to render it.

use super::stats::Spread;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) machine: Machine,
    pub(crate) rows: Vec<Row>,
    /// What was not measured, and why.
    pub(crate) missing: Vec<String>,
}

/// Where it ran, and what of which version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) gpu: String,
    pub(crate) driver: String,
    /// `reducegen`, `NVRTC`, `CUB`, `nvcc`, `PyTorch`: name and version.
    pub(crate) versions: Vec<(String, String)>,
    /// How it was measured, in sentences.
    pub(crate) method: Vec<String>,
}

/// One contestant in one cell, in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(crate) n: u64,
    /// Of all inputs together.
    pub(crate) bytes: u64,
    pub(crate) mode: Mode,
    pub(crate) peer: Peer,
    /// A call, in microseconds.
    pub(crate) time: Spread,
    /// That time to ours, in the same round; none for ours.
    pub(crate) ratio: Option<Spread>,
    /// The least ratio that must hold.
    pub(crate) goal: Option<f64>,
    pub(crate) check: Check,
}

impl Row {
    /// GB of inputs for each second.
    pub(crate) fn gigabytes(&self) -> f64 {
        self.bytes as f64 / self.time.median / 1e3
    }

    /// Is the goal met? `None`: there is none.
    pub(crate) fn met(&self) -> Option<bool> {
        Some(self.ratio?.median >= self.goal?)
    }
}

/// Between what the clock runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// Calls on a stream, back to back, with what the host does for each.
    Stream,
    /// The same calls, captured in a graph.
    Graph,
}

impl Mode {
    pub(crate) const ALL: [Mode; 2] = [Mode::Graph, Mode::Stream];
}

/// Who is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Peer {
    Ours,
    /// Another reduction of ours: the named operator beside a closure, aligned elements beside misaligned ones.
    Beside,
    Cub,
    Eager,
    Compiled,
    /// A kernel that reads as many bytes and does nothing else.
    Read,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Peer::Ours => "reducegen",
            Peer::Beside => "reducegen, beside",
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

/// What is known of the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Check {
    /// Ours: the bits of the host backend. Others: within the bound of the case.
    Right,
    /// Found, and expected.
    Wrong(String),
    /// Not compared, and why.
    Unknown(String),
}

impl Check {
    /// Are they equal to ours, or so near as sums of another association may be?
    pub(crate) fn of(found: &[f64], ours: &[f64], tolerance: f64) -> Check {
        let near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= tolerance * b.abs();
        let right = found.len() == ours.len() && found.iter().zip(ours).all(near);
        if right { Check::Right } else { Check::wrong(found, ours) }
    }

    pub(crate) fn wrong<T: fmt::Display>(found: &[T], expected: &[T]) -> Check {
        let text = |all: &[T]| all.iter().map(T::to_string).collect::<Vec<_>>().join(" ");
        Check::Wrong(format!("{} instead of {}", text(found), text(expected)))
    }
}
