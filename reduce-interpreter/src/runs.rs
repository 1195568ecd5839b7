//! Runs kernels that find runs of keys.

use super::domain::Domain;
use super::report::Reports;
use super::setting::{Input, Memory};
use super::{Options, Report, reborrow, run_launch};
use reduce_ir::operation::Operation;
use reduce_ir::statements::Lowered;

/// The runs that kernels found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The number of runs.
    pub number: u64,
    /// The offsets. The length is the number of elements plus one; `None` is an offset that no kernel wrote.
    pub offsets: Vec<Option<u64>>,
    /// The bits of the key of each run.
    pub keys: Vec<Option<u64>>,
    /// The faults.
    pub reports: Vec<Report>,
}

/// Runs the three kernels of a program that finds runs of keys, on `grids` blocks each. There is at least one key.
pub fn run_heads(
    operation: &Operation,
    lowered: &Lowered,
    domain: &mut dyn Domain,
    keys: &Input,
    grids: [u64; 3],
    mut options: Options<'_>,
) -> Found {
    let n = keys.elements.len() as u64;
    let inputs = [keys.clone(), keys.clone()];
    let words = grids[0] * u64::from(lowered.kernels[0].block);
    let mut memory = Memory {
        tiles: vec![None; grids[0] as usize + 1],
        marks: vec![None; words as usize],
        heads: vec![None; n as usize + 1],
        keys: vec![None; n as usize],
        elements: n,
        ..Memory::new(&inputs, 0)
    };
    let mut reports = Reports::default();
    for (kernel, grid) in lowered.kernels.iter().zip(grids) {
        let watched = Options { trace: reborrow(&mut options.trace), ..options };
        run_launch(operation, kernel, domain, &mut memory, [grid, n, 1], watched, &mut reports);
    }
    let number = memory.tiles.last().copied().flatten().unwrap_or(u64::MAX);
    Found { number, offsets: memory.heads, keys: memory.keys, reports: reports.into_list() }
}
