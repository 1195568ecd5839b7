//! The results of the benchmark, as a table and as JSON.

use crate::contestants::{OURS, READ};
use reduce_ir::Scalar;
use serde_json::{Value, json};
use std::time::Duration;

/// The times of one reduction of elements of one type with a number of threads.
pub(crate) struct Cell {
    name: String,
    ty: Scalar,
    threads: usize,
    bytes: usize,
    times: Vec<(&'static str, Vec<Duration>)>,
}

impl Cell {
    pub(crate) fn new(
        name: String,
        ty: Scalar,
        threads: usize,
        bytes: usize,
        times: Vec<(&'static str, Vec<Duration>)>,
    ) -> Cell {
        Cell { name, ty, threads, bytes, times }
    }

    fn of(&self, name: &str) -> Option<&[Duration]> {
        self.times.iter().find(|(other, _)| *other == name).map(|(_, times)| times.as_slice())
    }

    /// Returns the median over the rounds of a contestant's time divided by ours.
    fn ratio(&self, name: &str) -> Option<f64> {
        let ratios = self
            .of(name)?
            .iter()
            .zip(self.of(OURS)?)
            .map(|(peer, ours)| peer.as_secs_f64() / ours.as_secs_f64());
        median(ratios.collect())
    }

    fn seconds(&self, name: &str) -> Option<f64> {
        median(self.of(name)?.iter().map(Duration::as_secs_f64).collect())
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// All cells, printed as they are measured.
#[derive(Default)]
pub(crate) struct Report {
    cells: Vec<Cell>,
}

const PEERS: [&str; 5] = [READ, "iter", "ndarray", "rayon", "numpy"];

impl Report {
    pub(crate) fn add(&mut self, cell: Cell) {
        if self.cells.is_empty() {
            let peers = PEERS.map(|peer| format!("{peer:>8}")).concat();
            println!("The columns of peers: how many times as fast we were");
            println!("{:32}{:5}{:>8}{:>8}{peers}", "reduction", "ty", "threads", "GB/s");
        }
        let rate = cell.seconds(OURS).map_or(0.0, |seconds| cell.bytes as f64 / seconds / 1e9);
        let column = |peer| cell.ratio(peer).map_or(format!("{:>8}", "-"), |ratio| format!("{ratio:>8.2}"));
        let peers = PEERS.map(column).concat();
        println!("{:32}{:5}{:>8}{rate:>8.1}{peers}", cell.name, cell.ty.to_string(), cell.threads);
        self.cells.push(cell);
    }

    /// Prints our lowest ratio to each peer.
    pub(crate) fn summary(&self) {
        for peer in PEERS {
            let ratios = self.cells.iter().filter_map(|cell| Some((cell.ratio(peer)?, cell)));
            if let Some((ratio, cell)) = ratios.min_by(|a, b| a.0.total_cmp(&b.0)) {
                println!("lowest ratio to {peer}: {ratio:.2}, {} {} on {}", cell.name, cell.ty, cell.threads);
            }
        }
    }

    pub(crate) fn json(&self) -> String {
        let cell = |cell: &Cell| {
            let seconds: serde_json::Map<_, _> = cell
                .times
                .iter()
                .map(|(name, times)| {
                    let rounds: Vec<_> = times.iter().map(Duration::as_secs_f64).collect();
                    ((*name).to_owned(), json!({ "rounds": rounds, "ratio": cell.ratio(name) }))
                })
                .collect();
            json!({ "reduction": cell.name, "bytes": cell.bytes, "ty": cell.ty.to_string(), "threads": cell.threads, "seconds": seconds })
        };
        let cells: Vec<Value> = self.cells.iter().map(cell).collect();
        format!("{:#}\n", json!({ "cells": cells }))
    }
}
