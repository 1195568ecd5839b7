//! Every program after every pass, executed on provenance without a GPU. The tree of positions that its kernels compute is
//! the association read from the program, so every element is combined exactly once.
//!
//! Runs every n for blocks of up to 256 threads by default, and a sample for larger ones; with `REDUCEGEN_FULL=1` every n
//! for all blocks.

use crate::support::provenance::{check, check_provenance};
use crate::support::rotation::{full, sample, turn};
use crate::support::{boundaries, programs, spec};
use rayon::prelude::*;
use reduce_codegen::{compile, lower};
use reduce_dsl::operators::operator;
use reduce_interpreter::{Input, Options, Provenance, Schedule, run};
use reduce_ir::operation::Operation;
use reduce_ir::program::Reads;
use reduce_ir::{Domain, Scalar, Spec};
use reduce_lanes::Lanes;

/// Checks a rotating eighth of the programs of the lists, around its boundaries and for a rotating sample of each n up to 1025.
fn provenance_of(name: &str, ty: Scalar, one_of: u64) {
    let turn = turn() as u64;
    let programs: Vec<_> = sample(programs(operator(name).unwrap(), ty), 8).collect();
    programs.par_iter().for_each(|program| {
        let lowered = lower(program).unwrap();
        let one_of = if program.block <= 256 { 40 * one_of } else { 160 * one_of };
        let small = (0..=1025).filter(|n| full() || (n + turn).is_multiple_of(one_of));
        let sizes = small.chain(boundaries(program));
        sizes.for_each(|n| check_provenance(program, &lowered, n, &[], &[Schedule::FORWARD]));
    });
}

/// Under every schedule: a few sizes of every program, up to several blocks.
#[test]
fn provenance_under_every_schedule() {
    for name in ["sum", "argmax"] {
        programs(operator(name).unwrap(), Scalar::F32).par_iter().for_each(|program| {
            let lowered = lower(program).unwrap();
            let tile = program.tile(Reads::Inputs).min(4096);
            for n in [0, 1, 33, tile - 1, tile, 2 * tile + 1, 3 * tile + 100] {
                let grid = program.plan().launches(n)[0].grid;
                check_provenance(program, &lowered, n, &[], &Schedule::all(grid));
            }
        });
    }
}

#[test]
fn provenance_with_identity() {
    provenance_of("sum", Scalar::F32, 1);
}

#[test]
fn provenance_without_identity() {
    provenance_of("argmax", Scalar::F32, 1);
}

/// Other types have other vectors: a unit of 16 is two vectors of `f16`, or eight of `f64`.
#[test]
fn provenance_of_other_vectors() {
    provenance_of("argmax", Scalar::F16, 11);
    provenance_of("sum", Scalar::F64, 11);
}

#[test]
fn provenance_of_two_inputs() {
    provenance_of("dot", Scalar::F32, 5);
}

/// Blocks with an atomic combine each block's whole tree once, in an order that the schedule chooses.
#[test]
fn atomics_combine_every_block_once_in_any_order() {
    for (name, list) in [("max", "shuffle atomic"), ("min", "sequential coarsen(2) atomic")] {
        let program = compile(&spec(operator(name).unwrap(), Scalar::F32, 64, list)).unwrap();
        let lowered = lower(&program).unwrap();
        let tile = program.tile(Reads::Inputs);
        for n in [1, tile - 1, tile + 1, 5 * tile + 7] {
            let starts = (0..n).step_by(tile as usize);
            let inputs = Provenance::inputs(&program.operation, n, true);
            for schedule in Schedule::all(n.div_ceil(tile)) {
                let mut domain = Provenance::new(&program.operation);
                let found = run(&program, &lowered, &mut domain, &inputs, n, Options::under(schedule));
                assert_eq!(found.reports, [], "{schedule:?}, n = {n}\n{program}");
                let block = |start| (start..n.min(start + tile)).map(|it| domain.leaf(it)).collect();
                let blocks: Vec<Vec<_>> = starts.clone().map(block).collect();
                let tree = |leaves| program.association().reduce(leaves, |a, b| domain.pair(a, b)).unwrap();
                let parts: Vec<_> = blocks.into_iter().map(tree).collect();
                assert!(
                    domain.is_any_order_of(found.acc().unwrap(), &parts),
                    "{schedule:?}, n = {n}\n{program}"
                );
            }
        }
    }
}

/// Places elements at every third position of the first input, every fourth of the next, and so on. The positions between
/// have values that are not positions of elements.
fn strided(operation: &Operation, n: u64) -> Vec<Input> {
    let steps = (3..).take(operation.inputs.len());
    let place = |at: u64, step| if at.is_multiple_of(step) { at / step } else { u64::MAX };
    let lanes = |step: u64| Lanes::U64((0..n * step).map(|at| place(at, step)).collect());
    steps.map(|step| Input { elements: lanes(step), steps: vec![step as i64], first: 0, offset: 0 }).collect()
}

#[test]
fn strided_inputs_have_the_association_of_contiguous_ones() {
    for (name, list) in
        [("argmax", "sequential"), ("dot", "shuffle coarsen(3) unroll"), ("sum", "coarsen(2)")]
    {
        let contiguous = spec(operator(name).unwrap(), Scalar::F32, 64, list);
        let program = compile(&Spec { domain: Domain::STRIDED, ..contiguous.clone() }).unwrap();
        assert_eq!(program.association(), compile(&contiguous).unwrap().association());
        let lowered = lower(&program).unwrap();
        for n in (1..=129).chain(boundaries(&program)).filter(|&n| n > 0) {
            check(&program, &lowered, n, &strided(&program.operation, n), &[], &[Schedule::FORWARD]);
        }
    }
}
