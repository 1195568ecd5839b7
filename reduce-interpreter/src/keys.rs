//! Runs kernels over elements with keys.

use super::domain::Domain;
use super::report::Reports;
use super::setting::{Input, Memory};
use super::{Options, Outcome, reborrow, run_launch};
use reduce_ir::operation::Operation;
use reduce_ir::program::Reads;
use reduce_ir::statements::Lowered;

/// The sizes of the launches.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The number of elements, at least 1.
    pub elements: u64,
    /// The number of groups.
    pub groups: u64,
    /// The number of blocks of the launches over elements.
    pub chunks: u64,
    /// The number of partials of each group.
    pub tables: u64,
}

/// Runs the kernels of a program over elements with keys. Returns also the first element whose key is no group.
pub fn run_keys(
    operation: &Operation,
    lowered: &Lowered,
    domain: &mut dyn Domain,
    inputs: &[Input],
    Sizes { elements, groups, chunks, tables }: Sizes,
    mut options: Options<'_>,
) -> (Outcome, Option<u64>) {
    let mut memory = Memory {
        results: vec![None; groups as usize],
        elements,
        ..Memory::new(inputs, (groups * tables) as usize)
    };
    let mut reports = Reports::default();
    let mut counts = Vec::new();
    for kernel in &lowered.kernels {
        let size = match kernel.reads {
            Reads::Inputs => [chunks, elements, 1],
            Reads::Partials => {
                std::mem::swap(&mut memory.items, &mut memory.partials);
                [groups, tables, groups]
            }
        };
        let watched = Options { trace: reborrow(&mut options.trace), ..options };
        let (ended, counted) =
            run_launch(operation, kernel, domain, &mut memory, size, watched, &mut reports);
        counts.push(counted);
        if !ended {
            memory.results.fill(None);
            break;
        }
    }
    let fault = (memory.fault != u64::MAX).then_some(memory.fault);
    (Outcome { results: memory.results, reports: reports.into_list(), counts }, fault)
}
