//! Runs kernels over segments.

use super::domain::Domain;
use super::report::Reports;
use super::setting::{Input, Memory};
use super::{Options, Outcome, reborrow, run_launch};
use reduce_ir::operation::Operation;
use reduce_ir::program::Reads;
use reduce_ir::statements::Lowered;

/// How the elements are cut, and the sizes of the launches.
#[derive(Clone, Copy, Debug)]
pub struct Cut<'a> {
    /// The number of elements, in all columns.
    pub elements: u64,
    /// One offset more than segments, at least.
    pub offsets: &'a [u64],
    /// The number of segments, if it lies on the device.
    pub number: Option<u64>,
    /// The number of blocks of each launch.
    pub grids: [u64; 3],
    /// The number of tiles of the grid.
    pub tiles: u64,
    /// The number of partials.
    pub partials: u64,
}

/// Runs the three kernels of a program over segments. If the options give a size, it is the number of columns, and each column of a segment
/// is a group. Returns also the least group whose offsets are wrong.
pub fn run_segments(
    operation: &Operation,
    lowered: &Lowered,
    domain: &mut dyn Domain,
    inputs: &[Input],
    cut: Cut<'_>,
    mut options: Options<'_>,
) -> (Outcome, Option<u64>) {
    let Cut { elements, offsets, number, grids, tiles, partials } = cut;
    let groups = (offsets.len() as u64 - 1) * options.sizes.first().unwrap_or(&1);
    let mut memory = Memory {
        offsets,
        tiles: vec![None; tiles as usize + 1],
        long_segments: vec![None; tiles as usize],
        results: vec![None; groups as usize],
        number: number.map(Some).into_iter().collect(),
        elements,
        ..Memory::new(inputs, partials as usize)
    };
    let mut reports = Reports::default();
    let mut counts = Vec::new();
    for (kernel, grid) in lowered.kernels.iter().zip(grids) {
        if kernel.reads == Reads::Partials {
            std::mem::swap(&mut memory.items, &mut memory.partials);
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
