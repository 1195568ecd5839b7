//! Runs kernels over segments.

use super::domain::Domain;
use super::report::Reports;
use super::setting::{Input, Memory};
use super::{Options, Outcome, reborrow, run_launch};
use reduce_ir::operation::Operation;
use reduce_ir::statements::Lowered;

/// How the elements are cut, and the sizes of the program.
#[derive(Clone, Copy, Debug)]
pub struct Cut<'a> {
    /// The number of elements.
    pub elements: u64,
    /// One offset more than segments.
    pub offsets: &'a [u64],
    /// The elements and segments of a tile of the grid.
    pub tile: u64,
    /// The least number of elements of a partial.
    pub slot: u64,
}

/// Runs the three kernels of a program over segments. Returns also the least segment whose offsets are wrong.
pub fn run_segments(
    operation: &Operation,
    lowered: &Lowered,
    domain: &mut dyn Domain,
    inputs: &[Input],
    cut: Cut<'_>,
    mut options: Options<'_>,
) -> (Outcome, Option<u64>) {
    let Cut { elements, offsets, tile, slot } = cut;
    let groups = offsets.len() as u64 - 1;
    let tiles = (elements + groups) / tile + 1;
    let partials = 2 * (elements / slot + 1);
    let threads = u64::from(lowered.kernels[0].block);
    let grids = [(tiles + 1).div_ceil(threads), tiles, tiles.div_ceil(threads)];
    let mut memory = Memory {
        offsets,
        tiles: vec![None; tiles as usize + 1],
        long_segments: vec![None; tiles as usize],
        results: vec![None; groups as usize],
        elements,
        ..Memory::new(inputs, partials as usize)
    };
    let mut reports = Reports::default();
    let mut counts = Vec::new();
    for (kernel, grid) in lowered.kernels.iter().zip(grids) {
        std::mem::swap(&mut memory.items, &mut memory.partials);
        if counts.len() < 2 {
            memory.partials = vec![None; partials as usize];
        }
        let watched = Options { trace: reborrow(&mut options.trace), ..options };
        let (ended, counted) = run_launch(
            operation,
            kernel,
            domain,
            &mut memory,
            [grid, elements, groups],
            watched,
            &mut reports,
        );
        counts.push(counted);
        if !ended {
            memory.results.fill(None);
            break;
        }
    }
    let fault = (memory.fault != u64::MAX).then_some(memory.fault);
    (Outcome { results: memory.results, reports: reports.into_list(), counts }, fault)
}
