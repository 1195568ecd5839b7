//! Operators that do not commute, and operators with their own `fold`, through every list of passes that accepts them. The
//! tree of positions is the association, in order if order matters; values equal a plain loop; refusals of
//! passes that would reorder elements say what to write instead.

use crate::support::operations::{self, Subject};
use crate::support::provenance::{alignments, check_subject};
use crate::support::random::Random;
use crate::support::rotation::sample;
use crate::support::{LISTS, boundaries, programs_of, spec_of};
use rayon::prelude::*;
use reduce_codegen::{Error, compile, lower};
use reduce_interpreter::{Input, Options, Values, run};
use reduce_ir::program::{Program, Reads, Tree};
use reduce_ir::spec::Passes;
use reduce_ir::{Scalar, Spec, Value};
use reduce_lanes::Lanes;

fn subjects() -> Vec<Subject> {
    operations::ordered().into_iter().chain(operations::folded()).collect()
}

/// Returns sizes up to `most`: the boundaries of the program, several partials per thread of a block, and one of `one_of`
/// small sizes.
fn sizes(program: &Program, most: u64, one_of: usize) -> Vec<u64> {
    let partials = program.tile(Reads::Inputs) * program.tile(Reads::Partials);
    let several = [2 * partials + 1, 3 * partials + partials / 2, 5 * partials];
    (0..=200).step_by(one_of).chain(boundaries(program)).chain(several).filter(|&n| n <= most).collect()
}

#[test]
fn provenance_of_ordered_operators() {
    operations::ordered().par_iter().for_each(|subject| {
        let programs = programs_of(&subject.operation);
        assert!(programs.len() > 20, "{} programs", programs.len());
        let programs: Vec<_> = sample(programs, 32).collect();
        check_subject(subject, &programs, |program| sizes(program, 40_000, 7));
    });
}

#[test]
fn provenance_of_folds() {
    operations::folded().par_iter().for_each(|subject| {
        let programs: Vec<_> = sample(programs_of(&subject.operation), 32).collect();
        check_subject(subject, &programs, |program| sizes(program, 5_000, 11));
    });
}

/// Returns small integers of type `ty`.
fn elements(random: &mut Random, ty: Scalar, n: u64) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(n as usize);
    for at in 0..n as usize {
        let small = random.below(9) as i32 - 4;
        let value =
            if ty == Scalar::F32 { Value::of(small as f32) } else { Value::from_bits(ty, small as u64) };
        lanes.set(at, value);
    }
    lanes
}

#[test]
fn values_are_those_of_a_plain_loop() {
    subjects().par_iter().for_each(|subject| {
        let Some(plain) = subject.plain else { return };
        for program in sample(programs_of(&subject.operation), 4) {
            let lowered = lower(&program).unwrap();
            for n in sizes(&program, 3_000, 37).into_iter().filter(|&n| n > 0) {
                let mut random = Random::new(n);
                let types = subject.operation.inputs.iter().map(|input| input.ty);
                let lanes: Vec<_> = types.map(|ty| elements(&mut random, ty, n)).collect();
                for &aligned in alignments(&program) {
                    let inputs: Vec<_> = lanes.iter().map(|it| Input::new(it.clone(), aligned)).collect();
                    let mut domain = Values::new(&subject.operation);
                    let options = Options::FORWARD.with(&subject.params);
                    let outcome = run(&program, &lowered, &mut domain, &inputs, n, options);
                    assert_eq!(outcome.reports, [], "n = {n}\n{program}");
                    let found = domain.finish(outcome.acc().unwrap(), n, &subject.params).unwrap();
                    assert_eq!(found, plain(&lanes), "n = {n}\n{program}");
                }
            }
        }
    });
}

#[test]
fn what_would_reorder_says_what_keeps_the_order() {
    let matrix = operations::ordered().swap_remove(2).operation;
    for (list, instead) in [
        ("sequential", "write `strided_index` instead"),
        ("sequential last_warp", "write `strided_index` instead"),
        ("last_warp", "write `shuffle` instead"),
        ("grid_stride(3)", "write `coarsen` instead"),
        ("atomic", "leave it out"),
    ] {
        match compile(&spec_of(&matrix, 64, list)) {
            Err(Error::Refused { index: 0, reason, .. }) => {
                let why = "`matrix` is not commutative, and this would reorder its elements; ";
                assert!(reason.starts_with(why) && reason.contains(instead), "{list}: {reason}");
            }
            other => panic!("{list}: {other:?}"),
        }
    }
}

/// Every list without one of these words is accepted, and so is `auto`.
#[test]
fn what_keeps_the_order_is_taken() {
    let matrix = operations::ordered().swap_remove(2).operation;
    // The operator has neither positions nor an identity.
    let words = ["sequential", "grid_stride", "lanes", "narrow_index", "redux", "serial_tail"];
    let refused = |list: &str| words.iter().any(|word| list.contains(word));
    for (block, list) in LISTS {
        assert_eq!(compile(&spec_of(&matrix, block, list)).is_ok(), !refused(list), "{list}");
    }
    let auto = compile(&Spec { block: None, passes: Passes::Auto, ..spec_of(&matrix, 64, "") }).unwrap();
    let pairs = |reads: Reads| auto.kernel(reads).combines().filter(|it| it.tree == Tree::Pairs).count();
    // The trees over the threads of a warp, its rows, and the warps.
    assert_eq!([Reads::Inputs, Reads::Partials].map(pairs), [3, 2], "{auto}");
    assert_eq!(auto.association().first[0].lanes, 1);
}
