//! `passes: auto` has one association for each n, whatever the architecture, and one launch where possible.

use crate::support::provenance::check_provenance;
use crate::support::rotation::sample;
use crate::support::{operations, spec};
use reduce_codegen::{Programs, Tuning, lower, stages_for};
use reduce_dsl::operators::operator;
use reduce_dsl::parse::text;
use reduce_interpreter::Schedule;
use reduce_ir::program::{Association, Program};
use reduce_ir::spec::Passes;
use reduce_ir::{Scalar, Spec};

fn auto(name: &str, ty: Scalar) -> Spec {
    Spec { block: None, passes: Passes::Auto, ..spec(operator(name).unwrap(), ty, 256, "") }
}

/// Returns operators that do not commute, with and without fill, of one input and of two.
fn ordered() -> impl Iterator<Item = Spec> {
    let specs = operations::ordered().into_iter().map(|it| crate::support::spec_of(&it.operation, 256, ""));
    specs.map(|spec| Spec { block: None, passes: Passes::Auto, ..spec })
}

fn specs() -> Vec<Spec> {
    let wide = [("sum", Scalar::F32), ("argmax", Scalar::F64), ("dot", Scalar::F16), ("max", Scalar::U8)];
    wide.into_iter().map(|(name, ty)| auto(name, ty)).chain(ordered()).collect()
}

/// Returns sizes on both sides of every boundary between variants of `auto`, up to `most`.
fn edges(programs: &Programs, most: u64) -> Vec<u64> {
    let ends = programs.variants().iter().filter_map(|program| program.up_to);
    let tiles = programs.variants().iter().map(|program| program.tile(reduce_ir::program::Reads::Inputs));
    let mut sizes: Vec<_> = ends.chain(tiles).flat_map(|n| [n / 2 + 1, n - 1, n, n + 1, n + n / 3]).collect();
    sizes.extend([1, 33, 1000]);
    sizes.retain(|&n| n <= most);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Returns a hash of the tree over n elements.
fn tree(association: &Association, n: u64) -> u64 {
    let mix = |a: u64, b: u64| {
        let z = a.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ b.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ (z >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb)
    };
    association.reduce((0..n).collect(), mix).unwrap()
}

/// Clusters, tickets and second launches compute the same tree. Tests a rotating third of the tunings.
#[test]
fn no_tuning_changes_the_association() {
    for spec in specs() {
        let reference = Programs::of(&spec, Tuning::DEFAULT).unwrap();
        for tuning in sample(Tuning::ALL, 3) {
            let programs = Programs::of(&spec, tuning).unwrap();
            for n in edges(&reference, 1 << 19) {
                let [ours, theirs] = [&programs, &reference].map(|it| it.for_len(n).association());
                // Most associations are equal level by level, and so are their trees.
                let is_same = ours == theirs || tree(&ours, n) == tree(&theirs, n);
                assert!(is_same, "{tuning:?}, n = {n}\n{}", programs.for_len(n));
            }
        }
    }
}

/// The kernels of every variant, a rotating third of them, on both sides of its end, for sizes that are small enough to interpret.
#[test]
fn every_case_has_its_association() {
    let run = |program: &Program, n: u64| {
        let grid = program.plan().launches(n)[0].grid;
        let schedules = if n < 5000 { Schedule::all(grid) } else { vec![Schedule::FORWARD] };
        check_provenance(program, &lower(program).unwrap(), n, &[], &schedules);
    };
    let commuting = ["sum", "argmax"].map(|name| auto(name, Scalar::F64));
    // Variants of small blocks end earlier, so that more variants can be interpreted.
    let small = ordered().map(|spec| Spec { block: Some(32), ..spec });
    for spec in commuting.into_iter().chain(ordered()).chain(small) {
        // Several tunings have the same program for n.
        let mut cases: Vec<(Program, u64)> = Vec::new();
        for tuning in Tuning::ALL {
            let programs = Programs::of(&spec, tuning).unwrap();
            for n in edges(&programs, 20_000) {
                let case = (programs.for_len(n).clone(), n);
                if !cases.contains(&case) {
                    cases.push(case);
                }
            }
        }
        sample(cases, 6).for_each(|(program, n)| run(&program, n));
    }
}

#[test]
fn cases_follow_each_other_and_take_one_launch() {
    for spec in specs() {
        let programs = Programs::of(&spec, Tuning::of(90)).unwrap();
        let ends: Vec<_> =
            programs.variants().iter().map(|program| program.up_to.unwrap_or(u64::MAX)).collect();
        assert!(ends.is_sorted_by(|a, b| a < b), "{ends:?}");
        for (place, end) in ends.iter().enumerate() {
            assert_eq!(programs.place(*end), place);
            assert_eq!(programs.for_len(*end), &programs.variants()[place]);
        }
        let [first @ .., last] = programs.variants() else { unreachable!("there is a last case") };
        assert!(first.iter().all(Program::has_one_launch), "{ends:?}");
        assert_eq!(last.has_one_launch(), spec.operation.commutative, "{}", spec.operation.name);
    }
}

/// The stages for n elements end in the program that runs, with the same maximum n.
#[test]
fn the_last_stage_is_the_program_of_n() {
    for tuning in Tuning::ALL {
        let spec = auto("sum", Scalar::F32);
        let programs = Programs::of(&spec, tuning).unwrap();
        for program in programs.variants() {
            let n = program.up_to.unwrap_or(1 << 30);
            let last = stages_for(&spec, tuning, n).unwrap().pop().unwrap().program;
            assert_eq!(Programs::from(last).for_len(n), program);
        }
    }
}

/// Returns a specification whose closure computes the minimum of `fields` numbers.
fn wide(fields: usize, more: &str) -> Spec {
    let each = |text: fn(usize) -> String| (0..fields).map(text).collect::<Vec<_>>().join(", ");
    let types = each(|at| format!("f{at}: f64"));
    let map = each(|at| format!("f{at}: x"));
    let op = each(|at| format!("f{at}: a.f{at}.min(b.f{at})"));
    let source = format!(
        "ty: f64, acc: Wide {{ {types} }}, map: |x| Wide {{ {map} }}, op: |a, b| Wide {{ {op} }}, identity: none{more}"
    );
    text(&source, None).unwrap().spec
}

/// The widest accumulators need more shared memory than a block of 512 threads has; a smaller block fits.
#[test]
fn the_widest_accumulators_have_a_block() {
    let specs = [12, 13, 16].map(|fields| wide(fields, ""));
    let others = [", commutative: false", ", layout: strided"].map(|more| wide(16, more));
    for spec in specs.iter().chain(&others) {
        let size = spec.operation.acc.size();
        for tuning in Tuning::ALL {
            let programs = Programs::of(spec, tuning).unwrap();
            let ends: Vec<_> = programs.variants().iter().map(|it| it.up_to.unwrap_or(u64::MAX)).collect();
            assert!(ends.is_sorted_by(|a, b| a < b), "{ends:?}");
            let most = programs.variants().iter().map(|it| it.block).max();
            assert_eq!(most, Some(if size > 96 { 256 } else { 512 }), "{size} bytes");
        }
    }
}

/// Older architectures have no clusters, and some newer ones have no clusters of 16.
#[test]
fn clusters_are_for_those_that_have_them() {
    let widest = |capability: u32| {
        let programs = Programs::of(&auto("sum", Scalar::F32), Tuning::of(capability)).unwrap();
        programs.variants().iter().map(|program| program.kernels[0].cluster()).max()
    };
    assert_eq!([75, 80, 89, 90, 100, 120].map(widest), [1, 1, 1, 16, 8, 8].map(Some));
}
