//! Kernels over elements with keys, in the interpreter: each group has the tree of its own elements, in the association of all.

use crate::support::rotation::sample;
use reduce_codegen::keys::{Keyed, Owner};
use reduce_dsl::parse::text;
use reduce_interpreter::{Acc, Options, Outcome, Provenance, Schedule, Sizes, run_keys};

/// The key of an element, as the specifications compute it: a mixed order in which some groups are long and some have no element.
fn key(position: u64, groups: u64) -> u64 {
    let mixed = (position * 7919 + position / 3) % (groups + 1);
    mixed * mixed / (groups + 1)
}

fn program(op: &str, groups: u64) -> Keyed {
    let by = format!("|x| {{ let m = (i * 7919 + i / 3) % {0}; m * m / {0} }}", groups + 1);
    let source = format!("{op}, index: i, by: {by}, groups: {groups}");
    let spec = text(&source, None).unwrap_or_else(|error| panic!("{source}: {error}")).spec;
    Keyed::of(&spec).unwrap()
}

fn run(program: &Keyed, n: u64, aligned: bool, schedule: Schedule) -> (Provenance<'_>, Outcome, Option<u64>) {
    let mut domain = Provenance::new(&program.operation);
    let inputs = Provenance::inputs(&program.operation, n, aligned);
    let sizes = Sizes {
        elements: n,
        groups: program.keys.groups,
        chunks: program.chunks(n),
        tables: program.tables(n),
    };
    let lowered = program.lower().unwrap();
    let options = Options::under(schedule);
    let (outcome, fault) = run_keys(&program.operation, &lowered, &mut domain, &inputs, sizes, options);
    (domain, outcome, fault)
}

/// Compares the tree of each group with the association.
fn check(program: &Keyed, n: u64, aligned: bool, schedule: Schedule) {
    let (mut domain, outcome, fault) = run(program, n, aligned, schedule);
    let shown = || format!("{program}{} elements", n);
    assert_eq!(outcome.reports, [], "{}", shown());
    assert_eq!(fault, None, "{}", shown());
    let association = program.association(n);
    for group in 0..program.keys.groups {
        let mut item = |position| match key(position, program.keys.groups) == group {
            true => domain.leaf(position),
            false => domain.identity(),
        };
        let items: Vec<Acc> = (0..n).map(&mut item).collect();
        let wanted = association.reduce(items, |a, b| domain.pair(a, b)).unwrap();
        let found = outcome.results[group as usize].unwrap();
        assert_eq!(domain.text(found), domain.text(wanted), "group {group} of {}", shown());
    }
}

#[test]
fn threads_have_tables() {
    for groups in [1, 3, 10] {
        let program = program("ty: f32, op: sum", groups);
        assert_eq!((program.tables.of, program.tables.threads), (Owner::Thread, 128));
        for n in [1, 2, 33, 512, 513, 5001] {
            check(&program, n, n % 2 == 0, Schedule::FORWARD);
        }
    }
    let wide = program("ty: f64, op: sum", 40);
    assert_eq!((wide.tables.threads, wide.tables.width), (64, 2));
    check(&wide, 3001, true, Schedule::FORWARD);
    let more = program("ty: f32, op: sum", 300);
    assert_eq!((more.tables.of, more.tables.threads), (Owner::Thread, 32));
    check(&more, 2500, true, Schedule::FORWARD);
}

#[test]
fn warps_have_tables() {
    for (groups, warps) in sample([(500, 4), (3000, 2), (12000, 1)], 3) {
        let program = program("ty: f32, op: sum", groups);
        assert_eq!((program.tables.of, program.tables.number), (Owner::Warp, warps));
        for n in [1, 31, 700] {
            check(&program, n, true, Schedule::FORWARD);
        }
    }
    let program = program("ty: f32, op: sum", 400);
    check(&program, 7001, true, Schedule::FORWARD);
}

#[test]
fn tables_lie_in_memory() {
    let program = program("ty: f32, op: sum", 13_000);
    assert_eq!(program.tables.of, Owner::Memory);
    check(&program, 300, true, Schedule::FORWARD);
}

#[test]
fn every_schedule_gives_the_same_trees() {
    for (groups, n) in [(3, 600), (400, 300)] {
        let program = program("ty: f32, op: sum", groups);
        for schedule in Schedule::all(program.chunks(n)) {
            check(&program, n, true, schedule);
        }
    }
}

/// Elements of exact operations may meet in any order.
#[test]
fn blocks_and_grids_have_tables() {
    let cases = [
        ("ty: i32, op: sum", 300, Owner::Block, 1, 5001),
        ("ty: f32, map: |x| 1u64, op: sum", 8000, Owner::Block, 6, 5001),
        ("ty: f32, map: |x| 1u64, op: sum", 9000, Owner::Grid, 9, 40_001),
    ];
    for (op, groups, owner, step, most) in sample(cases, 3) {
        let program = program(op, groups);
        assert_eq!(program.tables.of, owner);
        assert_eq!(program.asked_shared_bytes() > 0, groups == 8000);
        for n in [1, most] {
            assert_eq!(program.chunks(n), if n > 40_000 { 2 } else { 1 });
            for schedule in Schedule::all(program.chunks(n)).into_iter().step_by(step) {
                let (domain, outcome, fault) = run(&program, n, n % 2 == 0, schedule);
                assert_eq!((outcome.reports, fault), (vec![], None));
                let mut wanted = vec![Vec::new(); groups as usize];
                (0..n).for_each(|position| wanted[key(position, groups) as usize].push(position));
                for (group, wanted) in wanted.into_iter().enumerate() {
                    let mut found = domain.leaves(outcome.results[group].unwrap());
                    found.sort_unstable();
                    assert_eq!(found, wanted, "group {group} of {n} elements");
                }
            }
        }
    }
}
