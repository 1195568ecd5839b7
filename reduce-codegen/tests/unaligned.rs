//! Data at any address: the association is the same, no byte outside of the slice is read, and whole tiles of small
//! elements are not read element by element.

use crate::support::provenance::check;
use crate::support::rotation::sample;
use crate::support::spec;
use rayon::prelude::*;
use reduce_codegen::{compile, lower};
use reduce_dsl::operators::operator;
use reduce_interpreter::{Input, Kind, Options, Provenance, Schedule, Shapes, run};
use reduce_ir::Scalar;
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::{Chunk, Local, Lowered, Stmt, Ty};

fn program(name: &str, ty: Scalar, list: &str) -> Program {
    compile(&spec(operator(name).unwrap(), ty, 32, list)).unwrap()
}

/// Returns inputs of n elements. The first input begins `offset` elements after a multiple of 256 bytes, and each other
/// input one more element than the one before.
fn inputs(program: &Program, n: u64, offset: u64) -> Vec<Input> {
    let mut inputs = Provenance::inputs(&program.operation, n, true);
    inputs.iter_mut().zip(offset..).for_each(|(input, offset)| input.offset = offset);
    inputs
}

/// Returns sizes at which a tile becomes full, or has all elements around it.
fn sizes(program: &Program) -> Vec<u64> {
    let (tile, width) = (program.tile(Reads::Inputs), u64::from(program.kernels[0].fold().width));
    let edges = [1, width, tile, tile + width, 2 * tile, 2 * tile + width, 3 * tile, 3 * tile + width];
    edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]).filter(|&n| n > 0).collect()
}

#[test]
fn the_association_is_the_same_wherever_data_begins() {
    let lists =
        ["vectorize(2) shuffle", "vectorize(4) coarsen(3)", "shuffle vectorize(16) coarsen(2) unroll"];
    let cases = Scalar::ALL.into_iter().flat_map(|ty| lists.into_iter().map(move |list| (ty, list)));
    let cases: Vec<_> = sample(cases, 2).collect();
    cases.into_par_iter().for_each(|(ty, list)| {
        for name in ["count_nonzero", "first"] {
            let program = program(name, ty, list);
            let lowered = lower(&program).unwrap();
            for offset in 0..16 / ty.size() as u64 {
                for n in sizes(&program) {
                    check(&program, &lowered, n, &inputs(&program, n, offset), &[], &[Schedule::FORWARD]);
                }
            }
        }
    });
}

/// Inputs with different alignments; only one is read by words.
#[test]
fn every_input_begins_where_it_likes() {
    for ty in [Scalar::F16, Scalar::F32] {
        let program = program("dot", ty, "shuffle vectorize(8) coarsen(2)");
        let lowered = lower(&program).unwrap();
        for (offset, n) in (0..4).flat_map(|offset| sizes(&program).into_iter().map(move |n| (offset, n))) {
            check(&program, &lowered, n, &inputs(&program, n, offset), &[], &[Schedule::FORWARD]);
        }
    }
}

/// Returns the number of a warp's accesses to global memory.
fn accesses(program: &Program, n: u64, offset: u64) -> u64 {
    let (lowered, inputs) = (lower(program).unwrap(), inputs(program, n, offset));
    let mut domain = Shapes::new(&program.operation);
    let found = run(program, &lowered, &mut domain, &inputs, n, Options::FORWARD);
    assert_eq!(found.reports, []);
    found.counts[0].total().global_loads.accesses
}

/// Three tiles of two rows of 32 units. The first row of all has no elements before it, and the last row none after it.
#[test]
fn rows_inside_are_read_by_words() {
    let of = |ty, width: u32| {
        let program = program("count_nonzero", ty, &format!("shuffle vectorize({width}) coarsen(2)"));
        let n = 3 * program.tile(Reads::Inputs);
        [0, 1].map(|offset| accesses(&program, n, offset))
    };
    let guarded = |width: u64| 2 * width;
    assert_eq!(of(Scalar::U8, 16), [3 * 2, guarded(16) + 4 * 5]);
    assert_eq!(of(Scalar::F16, 8), [3 * 2, guarded(8) + 4 * 5]);
    assert_eq!(of(Scalar::U8, 4), [3 * 2, guarded(4) + 4 * 2]);
    // Vectors that are not words, or have elements as large as one, are read element by element, in every full tile.
    assert_eq!(of(Scalar::U8, 2), [3 * 2, 3 * 2 * 2]);
    assert_eq!(of(Scalar::F32, 4), [3 * 2, 3 * 2 * 4]);
}

#[test]
fn what_is_read_by_words_fills_them() {
    let by_words = |ty, lanes| Chunk::of(ty, lanes) == Chunk::Word;
    assert!(by_words(Scalar::Bool, 4) && by_words(Scalar::Bf16, 2) && by_words(Scalar::I8, 16));
    assert!(!by_words(Scalar::U8, 2) && !by_words(Scalar::F32, 4) && !by_words(Scalar::I64, 2));
}

/// Reads the first row (side 0) or the last row (side 1) by words, too.
fn without(lowered: &Lowered, side: usize) -> Lowered {
    let mut lowered = lowered.clone();
    let full = lowered.kernels[0].body.iter_mut().find_map(otherwise).unwrap();
    let unaligned = full.iter_mut().find_map(otherwise).unwrap();
    if let [Stmt::If(_, first_row, _), Stmt::Let(_, around), ..] = unaligned.as_mut_slice() {
        match side {
            0 => first_row.clear(),
            _ => *around = Local::new("rows", Ty::U32).get(),
        }
    }
    lowered
}

fn otherwise(stmt: &mut Stmt) -> Option<&mut Vec<Stmt>> {
    if let Stmt::If(_, _, otherwise) = stmt { Some(otherwise).filter(|it| !it.is_empty()) } else { None }
}

/// Words that are partly outside of the slice are reported, so these two rows must be read otherwise.
#[test]
fn words_outside_the_slice_are_found() {
    let program = program("sum", Scalar::I8, "shuffle vectorize(4) coarsen(2)");
    let (lowered, tile) = (lower(&program).unwrap(), program.tile(Reads::Inputs));
    for side in [0, 1] {
        let broken = without(&lowered, side);
        assert_ne!(broken, lowered);
        let (n, offset) = (2 * tile, 1);
        let mut domain = Shapes::new(&program.operation);
        let found = run(&program, &broken, &mut domain, &inputs(&program, n, offset), n, Options::FORWARD);
        assert!(found.reports.iter().all(|it| it.kind == Kind::OutOfBounds) && !found.reports.is_empty());
    }
}
